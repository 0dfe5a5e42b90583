import { expect, test } from 'vitest'
import { acceptLanguages, chooseLanguage } from './languages.ts'
import { cost } from '../../../test/support/cost.ts'

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ['', []],
  ['en', ['en']],
  ['de-AT, en;q=0.5, fr;q=0.9', ['de-at', 'fr', 'en']],
  ['en;q=0, de', ['de']],
  ['en ; q=0.3,*;q=0.1', ['en', '*']],
  ['en;q=1.000,de;q=1', ['en', 'de']],
  ['en;q=2, _, ;, de;level=1, fr', ['fr']],
  [`${'a,'.repeat(100)}b`, Array.from({ length: 32 }, () => 'a')],
])('Accept-Language %j', (header, expected) => {
  expect(acceptLanguages(header)).toEqual(expected)
})

test.each([
  ['en-US de', 'de', 'de'],
  ['en-US en-GB', 'en-gb', 'en-GB'],
  ['de en-GB en', 'en', 'en'],
  ['de en-GB', 'en', 'en-GB'],
  ['en de', 'de-AT', 'de'],
  ['en zh-Hant', 'zh-Hant-TW', 'zh-Hant'],
  ['en zh', 'zh-Hant-TW', 'zh'],
  ['en fr', 'de, fr;q=0.1', 'fr'],
  ['en fr', 'de, *;q=0.5, fr;q=0.1', 'en'],
  ['en fr', 'de', 'en'],
  ['en fr', '', 'en'],
  ['eng en', 'en', 'en'],
  ['eng', 'en', 'eng'],
])('of %s for %s: %s', (tags, header, expected) => {
  const entries = tags.split(' ').map((key) => ({ key }))
  expect(chooseLanguage(entries, acceptLanguages(header))).toEqual({ key: expected })
})

test('of none: none', () => {
  expect(chooseLanguage([], ['en'])).toBeUndefined()
})

test('300,000 tags and ranges with many subtags are settled within 500 ms', () => {
  const entries = Array.from({ length: 300_000 }, (_, index) => ({ key: `x-${index.toString(36)}` }))
  const languages = acceptLanguages(
    Array.from({ length: 200 }, (_, index) => `zz${'-a'.repeat(20 + (index % 20))}`).join(','),
  )
  expect(chooseLanguage(entries, languages)).toBe(entries[0])
  expect(cost(() => chooseLanguage(entries, languages), 500)).toBeLessThan(500)
})
