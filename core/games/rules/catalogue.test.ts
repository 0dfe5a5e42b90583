import { expect, test } from 'vitest'
import { gameFacts, queryOf, termsOf } from './catalogue.ts'

const nothing = { subject: '', ageFrom: 0, ageTo: 0, languages: [], minutes: 0, textLanguage: '' }

test('facts are canonical, and what says nothing is left out', () => {
  expect(gameFacts(nothing)).toEqual({})
  expect(gameFacts({ ...nothing, textLanguage: 'EN' })).toEqual({})
  const given = { subject: 'maths', ageFrom: 8, ageTo: 8, languages: ['DE', 'pt-br', 'de'], minutes: 600 }
  expect(gameFacts({ ...given, textLanguage: 'de-at' })).toEqual({
    ...given,
    languages: ['de', 'pt-BR'],
    textLanguage: 'de-AT',
  })
})

test.each([
  ['subject', { subject: 'magic' }],
  ['age_from', { ageFrom: 100 }],
  ['age_to', { ageFrom: 9, ageTo: 8 }],
  ['minutes', { minutes: 601 }],
  ['languages', { languages: ['german!'] }],
  ['languages', { languages: [''] }],
  ['languages', { languages: 'aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca'.split(' ') }],
])('wrong facts are refused at %s', (path, wrong) => {
  expect(() => gameFacts({ ...nothing, ...wrong })).toThrow(`${path}: must`)
})

const wanted = { words: '', subject: '', age: 0, language: '', minutes: 0 }
const terms = new Set(
  termsOf({
    texts: ['Brüche üben', 'Owl Games', '数学'],
    facts: { subject: 'maths', ageFrom: 8, ageTo: 10, languages: ['de-AT', 'nb'], minutes: 20 },
  }),
)
/** What Postgres does with a query. */
const finds = (query: string) =>
  query.split(' & ').every((part) => {
    const [, term, more] = /^'([^']+)'(:\*)?$/.exec(part)!
    return more ? [...terms].some((one) => one.startsWith(term!)) : terms.has(term!)
  })

test.each([
  [true, { words: 'BRUCH owl' }],
  [true, { words: "übe' & !", age: 8 }],
  [true, { subject: 'maths', age: 10, language: 'de', minutes: 45 }],
  [true, { language: 'de-CH', minutes: 20 }],
  [true, { language: 'no' }],
  // one letter, and beginnings of terms that most games have, find whole words only
  [false, { words: 'o' }],
  [false, { words: 'su' }],
  [false, { words: 'language' }],
  [true, { words: 'ow' }],
  [true, { words: '数' }],
  [false, { words: 'bruche fox' }],
  [false, { age: 11 }],
  [false, { subject: 'music' }],
  [false, { language: 'en' }],
  [false, { minutes: 19 }],
])('it is %s that a game is found by %j', (isFound, asked) => {
  expect(finds(queryOf({ ...wanted, ...asked }))).toBe(isFound)
})

test('words without letters ask for nothing, and a query has 8 words at most', () => {
  expect(queryOf({ ...wanted, words: "&|!'():*" })).toBe('')
  expect(queryOf({ ...wanted, words: 'a b c d e f g h i j' }).split(' & ')).toHaveLength(8)
  expect(() => queryOf({ ...wanted, subject: "x' | 'y" })).toThrow('subject: must')
  expect(() => queryOf({ ...wanted, language: "x' | 'y" })).toThrow('language: must')
})
