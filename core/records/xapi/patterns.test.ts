import { describe, expect, test } from 'vitest'
import { isDuration } from './duration.ts'
import { isIri, isMailto, isUuid } from './values.ts'
import { isLanguageTag } from './language-tag.ts'
import { isTimestamp } from './timestamp.ts'
import { cost } from '../../../test/support/cost.ts'

// What a statement can show of these patterns stands in the case files; here is the rest: the edges and the time.

describe('isIri', () => {
  test.each([
    'a:b',
    'mailto:ann@example.org',
    'tag:example.org,2026:x',
    'http://[2001:db8::1]:8080/a',
    'https://example.org#a',
    'a:#b',
    'urn:x:%C3%A9',
    'x+y-z.1:a',
    'https://é.example/🎮',
  ])('%s is one', (text) => expect(isIri(text)).toBe(true))

  test.each([
    '',
    ':',
    'a:',
    '1a:b',
    'a b:c',
    ' a:b',
    'a:b ',
    'a:b\n',
    'a:<b>',
    'a:"',
    'a:{b}',
    'a:b|c',
    'a:b\\c',
    'a:b^c',
    'a:`',
    'a:%4',
    'a:%zz',
    'https://example.org/#a#b',
    'https://example.org/[a]',
    'https://[::1',
    'https://example.org/\u0085',
    'a:\udc00',
    'é:b',
    'a:\ufffe',
    'a:\u2028',
  ])('%j is none', (text) => expect(isIri(text)).toBe(false))
})

test.each([
  'mailto:',
  'mailto:a',
  'mailto:a@',
  'mailto:@b',
  'mailto:a@b@c',
  'MAILTO:a@b',
  'mailto:a@b/c',
  'mailto:a@b,c@d',
  'mailto:a@b#c',
  'mailto:%@b',
])('%s is no mailbox', (text) => expect(isMailto(text)).toBe(false))

describe('a megabyte takes less than 50 ms', () => {
  const n = 1 << 20
  const texts = {
    letters: 'https://example.org/' + 'a'.repeat(n),
    percent: 'https://example.org/' + '%41'.repeat(n / 3),
    slashes: 'a://' + '/'.repeat(n) + ' ',
    scheme: 'a'.repeat(n),
    authority: 'a://' + 'b'.repeat(n) + '[::1]c',
    brackets: 'a://' + '[::1]'.repeat(n / 5),
    questions: 'a:' + '?'.repeat(n) + '##',
    unicode: 'a:' + 'é🎮'.repeat(n / 6) + '\ud800',
    mailbox: 'mailto:' + 'a@'.repeat(n / 2),
    digits: '2026-11-21T14:05:09.' + '1'.repeat(n),
    duration: 'P' + '1'.repeat(n),
    fractions: 'PT' + '1.'.repeat(n / 2) + 'S',
    points: 'P' + '.'.repeat(n),
    subtags: 'en' + '-u-ca'.repeat(n / 5),
    hyphens: 'en' + '-'.repeat(n),
    uuid: '0'.repeat(n),
  }
  const checks = { isIri, isMailto, isTimestamp, isDuration, isLanguageTag, isUuid }

  test.each(Object.entries(texts))('%s', (_name, text) => {
    for (const check of Object.values(checks)) expect(cost(() => check(text), 50)).toBeLessThan(50)
  })
})
