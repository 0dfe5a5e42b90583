import { expect, test } from 'vitest'
import { comparedInBytes } from '../../../shared/limits.ts'
import { listLimits } from './limits.ts'

// The two tables of the interface document, as the public page has to show them.

const shown = listLimits({ rateLimitFactor: 1, attachmentsMaxBytes: 1024 })
const group = (name: string) => shown.filter((limit) => limit.group === name)

test('the limits of the developer portal are those of the interface, and no others', () => {
  expect(
    group('Developer portal limits').map(({ subject, limit, keyedBy, notes }) => [subject, limit, keyedBy, notes]),
  ).toEqual([
    ['Request an upload URL (any file type)', '60 per minute', 'developer', ''],
    [
      'Game-build upload URLs (new or replacement, browser or desktop)',
      '20 per UTC day',
      'developer',
      'Resets at 00:00 UTC; checked last, after size and quota validation, so a rejected request uses no slot',
    ],
    ['Finalize an upload (save as draft)', '10 per minute', 'developer', ''],
    ['Open a sandbox session', '10 per minute', 'developer', ''],
    ['Public studio contact form', '5 per 10 minutes', 'sender IP', 'Also protected by a CAPTCHA'],
  ])
})

test('the quotas are those of the interface, and no others', () => {
  expect(
    group('Storage and game quotas').map(({ subject, limit, notes }) => [
      subject,
      limit,
      subject.startsWith('Total') ? '' : notes,
    ]),
  ).toEqual([
    ['Games per developer account, drafts included', '20', ''],
    ['Total build storage per developer account', '25 GB', ''],
    ['Single game build (browser zip or desktop package)', '1 GB', ''],
    ['Entries (files and folders) in a browser zip', '10,000', ''],
    ['Per-file decompression ratio in a browser zip', '100:1', ''],
    ['Gallery images per game', '10', 'Each at most 5 MB'],
    ['Teaching-note documents per game', '5', 'Each at most 10 MB'],
    ['Studio logo', '5 MB', ''],
  ])
})

test('every place that a refusal can link to is there, once', () => {
  const anchors = shown.map(({ anchor }) => anchor).filter((anchor) => anchor !== '')
  expect(anchors).toEqual(expect.arrayContaining(['games', 'storage', 'gameBytes', 'forwards', 'webhooks']))
  expect(new Set(anchors).size).toBe(anchors.length)
})

test.each([
  [2 ** 30 + 1, 2 ** 30, ['1,073,741,825 bytes', '1 GB (1,073,741,824 bytes)']],
  [2 ** 31, 2 ** 30, ['2 GB', '1 GB']],
  [5, 0, ['5 bytes', '0 bytes']],
])('two sizes are told apart: %i and %i', (size, bound, words) => expect(comparedInBytes(size, bound)).toEqual(words))
