import { catalogue, minuteSteps, subjects, type Wanted } from '../../../shared/catalogue.ts'
import { Problem } from '../../process/problem.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { wordsOf } from '../../process/rules/words.ts'
import { ours, say } from '../../../shared/say.ts'

/** By what a game is found. What the studio has not said is missing. */
export interface GameFacts {
  /** One of shared/catalogue.ts. */
  readonly subject?: string
  /** Years. */
  readonly ageFrom?: number
  readonly ageTo?: number
  /** BCP 47, canonical. */
  readonly languages?: readonly string[]
  readonly minutes?: number
  /** Of name and texts of the page; missing: English. */
  readonly textLanguage?: string
}

/** The language of a page that names none. */
export const usualLanguage = 'en'

/** Texts by which words find a game. */
export interface FoundBy {
  readonly texts: readonly string[]
  readonly facts: GameFacts
}

/** Checked and canonical; what says nothing is left out. @throws Problem */
export function gameFacts(given: Required<GameFacts>): GameFacts {
  const [subject, ageFrom, ageTo, minutes, languages, textLanguage] = checkAll(
    () => subjectOf(given.subject),
    () => upTo(given.ageFrom, 'age_from', catalogue.age),
    () => (given.ageTo > 0 && given.ageTo < given.ageFrom ? before() : upTo(given.ageTo, 'age_to', catalogue.age)),
    () => upTo(given.minutes, 'minutes', catalogue.minutes),
    () => languagesOf(given.languages),
    () => (given.textLanguage === '' ? '' : languageTag(given.textLanguage, 'text_language')),
  )
  const facts = {
    subject,
    ageFrom,
    ageTo,
    minutes,
    languages,
    textLanguage: textLanguage === usualLanguage ? '' : textLanguage,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, said]) => !['', '0'].includes(String(said))))
}

function before(): never {
  throw new Problem('age_to', 'must not be below the youngest age')
}

function subjectOf(given: string): string {
  if (given === '' || subjects.some((subject) => subject === given)) return given
  throw new Problem('subject', say`must be one of ${ours(subjects.join(', '))}`)
}

function upTo(given: number, path: 'age_from' | 'age_to' | 'minutes', most: number): number {
  if (given <= most) return given
  throw new Problem(path, say`must be ${most} at most`)
}

function languagesOf(given: readonly string[]): string[] {
  const languages = [...new Set(given.map((tag) => languageTag(tag, 'languages')))]
  if (languages.length <= catalogue.languages) return languages
  throw new Problem('languages', say`must be ${catalogue.languages} at most`)
}

/** A language tag in its canonical form. @throws Problem */
export function languageTag(given: string, path: 'language' | 'languages' | 'text_language'): string {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(given.trim())
    if (tag !== '' && tag.length <= 35) return tag
  } catch {
    // no tag
  }
  throw new Problem(path, 'must be language tags such as en, de or pt-BR')
}

/** The language without region and script. */
export function primaryOf(tag: string): string {
  const [primary = ''] = tag.split('-', 1)
  // both written forms of Norwegian
  return ['nb', 'nn'].includes(primary) ? 'no' : primary
}

/** The terms under which a game is found: words, and facts with a colon. */
export function termsOf({ texts, facts }: FoundBy): string[] {
  const { subject, ageFrom = 0, ageTo = 0, languages = [], minutes = 0 } = facts
  const ages = ageFrom + ageTo === 0 ? [] : from(Math.max(1, ageFrom), ageTo || catalogue.age)
  const terms = [
    ...texts.flatMap((text) => wordsOf(text, { characters: 10_000, words: 500 })),
    ...(subject === undefined ? [] : [`subject:${subject}`]),
    ...ages.map((age) => `age:${age}`),
    ...languages.map((tag) => `language:${primaryOf(tag)}`),
    ...(minutes === 0 ? [] : minuteSteps.filter((step) => minutes <= step).map((step) => `minutes:${step}`)),
  ]
  return [...new Set(terms)]
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)

/** One letter with cases, or one digit: most games have a word that begins with it. */
const tooShort = /^[\p{Ll}\p{N}]$/u
const factNames = ['subject:', 'age:', 'language:', 'minutes:']

/** A word finds what begins with it. It finds only itself where the index would be read for most games. */
const ofWord = (word: string): string =>
  tooShort.test(word) || factNames.some((name) => name.startsWith(word)) ? `'${word}'` : `'${word}':*`

/** A query of Postgres (tsquery) for the terms; empty: all games. @throws Problem */
export function queryOf({ words, subject, age, language, minutes }: Wanted): string {
  const terms = [
    ...wordsOf(words, { words: catalogue.words }).map(ofWord),
    ...(subject === '' ? [] : [`'subject:${subjectOf(subject)}'`]),
    ...(age === 0 ? [] : [`'age:${age}'`]),
    ...(language === '' ? [] : [`'language:${primaryOf(languageTag(language, 'language'))}'`]),
    ...(minutes === 0 ? [] : [`'minutes:${minuteSteps.findLast((step) => step <= minutes) ?? minuteSteps[0]}'`]),
  ]
  return terms.join(' & ')
}
