import { describe, expect, test } from 'vitest'
import { cost } from '../../../test/support/cost.ts'
import { overlap, ownersOf, prefixParameter } from './reserved-prefix.ts'

describe('a prefix that can be reserved', () => {
  test.each([
    'https://fox.example/',
    'http://fox.example:8080/quiz/',
    'https://fox.example/a/b.c/~d/%C3%A9/',
    'https://bücher.example/spiele/',
    'https://xn--bcher-kva.example/',
  ])('%s', (prefix) => expect(prefixParameter(prefix, 'prefix')).toBe(prefix))
})

test.each([
  ['https://fox.example/quiz', 'slash'],
  ['https://fox.example', 'slash'],
  ['https://fox.example/quiz?a=/', 'http or https'],
  ['https://fox.example/#/', 'http or https'],
  ['urn:fox:quiz/', 'http or https'],
  ['https:///quiz/', 'http or https'],
  ['https://fox.example//', 'http or https'],
  ['https://fox.example/a/../b/', 'http or https'],
  ['https://ann@fox.example/', 'http or https'],
  ['https://Fox.example/', 'lower case'],
  ['https://fox.example:443/', 'usual port'],
  ['HTTPS://fox.example/', 'http or https'],
  ['fox.example/', 'must be an IRI'],
  ['', 'must be an IRI'],
  ['https://fox example/', 'must be an IRI'],
  [`https://fox.example/${'a'.repeat(200)}/`, 'at most 200'],
  ['https://w3id.org/', 'w3id.org'],
  ['https://w3id.org/xapi/fox/', 'w3id.org'],
  ['http://adlnet.gov/expapi/verbs/', 'adlnet.gov'],
  ['https://profiles.adlnet.gov/x/', 'adlnet.gov'],
  ['http://activitystrea.ms/', 'activitystrea.ms'],
  ['http://id.tincanapi.com/activitytype/', 'tincanapi.com'],
  ['https://w3id.org.:8443/x/', 'w3id.org'],
  ['https://W3ID.org/', 'lower case'],
])('nobody reserves %s (%s)', (prefix, why) => expect(() => prefixParameter(prefix, 'prefix')).toThrow(why))

test.each([
  ['https://fox.example/', 'https://fox.example/', true],
  ['https://fox.example/', 'https://fox.example/quiz/', true],
  ['http://fox.example/quiz/', 'https://fox.example/', true],
  ['https://fox.example/quiz/', 'https://fox.example/quizzes/', false],
  ['https://fox.example/', 'https://fox.example.net/', false],
])('%s overlaps %s: %s', (one, other, does) => expect([overlap(one, other), overlap(other, one)]).toEqual([does, does]))

describe('the owner of an activity', () => {
  const ownerOf = ownersOf([
    { prefix: 'https://owl.example/go/', studio: 2 },
    { prefix: 'https://fox.example/quiz/', studio: 1 },
    { prefix: 'https://fox.example/quiz/level-1/', studio: 1 },
    { prefix: 'https://owl.example/a/', studio: 3 },
    { prefix: 'https://goose.example/', studio: 4 },
    { prefix: `https://fox.example/${'z'.repeat(179)}/`, studio: 5 },
  ])

  test.each([
    ['https://fox.example/quiz/', 1],
    ['https://fox.example/quiz', 1],
    ['https://fox.example/quiz?x=1', 1],
    ['https://fox.example/quiz#x', 1],
    ['https://fox.example/quiz/level-1', 1],
    ['https://fox.example/quiz/level-1/a', 1],
    ['https://fox.example/quiz/level-9/a?b/c#d', 1],
    ['https://fox.example/quiz//x', 1],
    ['https://goose.example', 4],
    ['https://goose.example?x', 4],
    ['https://owl.example/go/x', 2],
    ['https://owl.example/a/x', 3],
    [`https://fox.example/${'z'.repeat(179)}/x`, 5],
    [`https://fox.example/${'z'.repeat(179)}`, 5],
    ['https://fox.example/quizzes', undefined],
    ['https://fox.example/', undefined],
    ['https://goose.example.net/', undefined],
    ['https://goose.example:8080/', undefined],
    ['http://goose.example/', undefined],
    ['https://owl.example/b/x', undefined],
    ['urn:x', undefined],
    ['', undefined],
    [`https://fox.example/${'z'.repeat(180)}/`, undefined],
  ])('of %s is %s', (iri, studio) => expect(ownerOf(iri)).toBe(studio))

  test('is nobody where nothing is reserved', () => expect(ownersOf([])('https://fox.example/quiz/')).toBeUndefined())

  test('is found quickly among the most reservations, for the longest addresses', () => {
    const many = ownersOf(
      Array.from({ length: 10_000 }, (_, n) => ({ prefix: `https://fox.example/a/${n}/`, studio: n })),
    )
    const iri = `https://fox.example/${'a/'.repeat(100)}`
    const time = cost(() => {
      for (let n = 0; n < 8_000; n++) many(iri + n)
    }, 100)
    // 8,000 definitions of 200 characters: more than one request of 2 MB holds
    expect(time).toBeLessThan(100)
    expect(many('https://fox.example/a/9999/x')).toBe(9999)
  })
})
