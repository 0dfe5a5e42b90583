import { expect, test } from 'vitest'
import type { Week } from '../../analytics/rules/week.ts'
import { nextMonday, sentences } from './weekly.ts'

test.each([
  ['2026-11-28T04:00:00Z', 'UTC', '2026-11-30T07:00:00.000Z'],
  ['2026-11-30T04:00:00Z', 'UTC', '2026-12-07T07:00:00.000Z'],
  ['2026-11-29T23:30:00Z', 'Europe/Berlin', '2026-12-07T06:00:00.000Z'],
  ['2026-11-29T22:30:00Z', 'Europe/Berlin', '2026-11-30T06:00:00.000Z'],
  ['2026-11-28T04:00:00Z', 'Pacific/Kiritimati', '2026-11-29T17:00:00.000Z'],
  ['2026-11-28T04:00:00Z', 'Pacific/Pago_Pago', '2026-11-30T18:00:00.000Z'],
])('after %s the next Monday morning in %s is %s', (now, zone, expected) =>
  expect(new Date(nextMonday(Date.parse(now), zone)).toISOString()).toBe(expected),
)

const week = (more: Partial<Week> = {}): Week => ({
  players: 120,
  playersBefore: 100,
  stuck: { name: 'Level 3', started: 71, completed: 33 },
  needHelp: 5,
  moreHelp: false,
  refused: 1,
  ...more,
})

test.each<[Partial<Week>, string]>([
  [
    {},
    '120 players, 20 % more than in the week before. New players are stuck most often in “Level 3”: 38 of the 71 ' +
      'who started it have not completed it. 5 players need help, and 1 request was refused.',
  ],
  [
    { players: 1, playersBefore: 0, stuck: undefined, needHelp: 1, refused: 1234 },
    '1 player, nobody played in the week before. No new player started a level. 1 player needs help, and 1,234 ' +
      'requests were refused.',
  ],
  [
    { players: 99, stuck: { name: 'x', started: 2, completed: 2 }, needHelp: 50, moreHelp: true, refused: 0 },
    '99 players, 1 % fewer than in the week before. Every new player who started a level completed it. 50 players ' +
      'or more need help, and 0 requests were refused.',
  ],
])('a week in three sentences: %j', (more, expected) => expect(sentences(week(more))).toBe(expected))
