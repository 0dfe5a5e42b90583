import { expect, test } from 'vitest'
import { alertsOf, raise, type Alert, type LevelAttempts, type Watched } from './alerts.ts'

const today = 20_000
const hours = (count: number) => count * 60 * 60 * 1000
const now = today * hours(24) + hours(12)
const level = (attempts: number, passed: number, more: Partial<LevelAttempts> = {}): LevelAttempts => ({
  activity: 'a',
  iri: 'https://g.example/1',
  name: 'Level 1',
  completed: 0,
  attempts,
  passed,
  failed: attempts - passed,
  ...more,
})
const daily = (from: number, to: number, count: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [from + n, count] as const)
const watched = (more: Partial<Watched> = {}): Watched => ({
  now,
  last: now - hours(1),
  today,
  lastDay: today,
  levels: [],
  levelsBefore: [],
  statements: new Map(daily(today - 20, today, 5)),
  refusals: new Map(),
  ...more,
})
const silent = { last: now - hours(72), lastDay: today - 3 }
const refusals = (before: number, lately: number) =>
  new Map([...daily(today - 15, today - 2, before), ...daily(today - 1, today, lately)])

test.each<[string, Partial<Watched>, string[]]>([
  ['nothing', {}, []],
  ['no statement ever', { last: 0, statements: new Map() }, []],
  ['a rate falls', { levels: [level(100, 41)], levelsBefore: [level(400, 260)] }, ['rate a']],
  ['a rate rises', { levels: [level(100, 65)], levelsBefore: [level(400, 164)] }, ['rate a']],
  ['few attempts', { levels: [level(29, 0)], levelsBefore: [level(400, 260)] }, []],
  ['few attempts before', { levels: [level(400, 0)], levelsBefore: [level(29, 29)] }, []],
  ['it could be chance', { levels: [level(30, 15)], levelsBefore: [level(30, 19)] }, []],
  ['few points', { levels: [level(90_000, 45_000)], levelsBefore: [level(90_000, 53_000)] }, []],
  ['a new level', { levels: [level(100, 1)] }, []],
  [
    'completions, where nothing is judged',
    {
      levels: [level(99, 0, { failed: 0, completed: 20 })],
      levelsBefore: [level(99, 0, { failed: 0, completed: 80 })],
    },
    ['rate a'],
  ],
  ['silence', silent, ['stopped']],
  ['a shorter silence', { ...silent, last: now - hours(71.9) }, []],
  ['silence of who seldom played', { ...silent, statements: new Map(daily(today - 11, today - 3, 5)) }, []],
  [
    'silence of who played on 10 days',
    { ...silent, statements: new Map(daily(today - 12, today - 3, 5)) },
    ['stopped'],
  ],
  ['many refusals', { refusals: refusals(0, 25) }, ['refused']],
  ['some refusals', { refusals: refusals(0, 24) }, []],
  ['as many as ever', { refusals: refusals(100, 400) }, []],
  ['more than ever', { refusals: refusals(100, 401) }, ['refused']],
])('%s', (_name, more, keys) => expect(alertsOf(watched(more)).map(({ key }) => key)).toEqual(keys))

test('an alert says its numbers', () => {
  const all = { ...silent, levels: [level(100, 41)], levelsBefore: [level(400, 260)], refusals: refusals(3, 100) }
  expect(alertsOf(watched(all)).map(({ text }) => text)).toEqual([
    '“Level 1”: 41 % of 100 attempts passed in the last 7 days, 65 % of 400 attempts in the 28 days before.',
    'No statement has arrived for 72 hours. There were statements on 14 of the 14 days up to the last one.',
    '200 requests were refused today and yesterday; on the 14 days before, 3.0 a day.',
  ])
})

test('an alert is told once, until its rule has not held and a week is over; a kind that is off is not', () => {
  const alert: Alert = { kind: 'stopped', key: 'stopped', text: '' }
  const day = hours(24)
  const first = raise([alert], {}, [], now)
  expect(first.fresh).toEqual([alert])
  expect(raise([alert], first.raised, [], now + 30 * day).fresh).toEqual([])
  const held = raise([], first.raised, [], now + 6 * day).raised
  expect(raise([alert], held, [], now + 6 * day).fresh).toEqual([])
  const over = raise([], held, [], now + 7 * day).raised
  expect(over).toEqual({})
  expect(raise([alert], over, [], now).fresh).toEqual([alert])
  expect(raise([alert], {}, ['stopped'], now)).toEqual({ fresh: [], raised: {} })
})
