import { describe, expect, test } from 'vitest'
import type { Statement } from '../../records/xapi/types.ts'
import { playWarnings } from './play-warnings.ts'

const own = 'https://w3id.org/xapi/seriousgames'
const adl = 'http://adlnet.gov/expapi/verbs'
const iris: Record<string, string> = {
  initialized: `${adl}/initialized`,
  progressed: `${adl}/progressed`,
  completed: `${adl}/completed`,
  accessed: `${own}/verbs/accessed`,
  skipped: 'http://id.tincanapi.com/verb/skipped',
  selected: 'https://w3id.org/xapi/adb/verbs/selected',
  unlocked: `${own}/verbs/unlocked`,
  used: `${own}/verbs/used`,
}
const level = {
  id: 'https://g.example/l1',
  definition: { name: { en: 'Level 1' }, type: `${own}/activity-types/level` },
}
const intro = {
  id: 'https://g.example/i',
  definition: { name: { en: 'Intro' }, type: `${own}/activity-types/cutscene` },
}
const menu = { id: 'https://g.example/m', definition: { type: `${own}/activity-types/menu` } }
const sword = { id: 'https://g.example/s', definition: { type: `${own}/activity-types/item` } }

const did = (verb: string, object: object = level, result?: object, over: object = {}): Statement => ({
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: iris[verb] ?? verb },
  object,
  result,
  ...over,
})
const progress = (value?: unknown, object: object = level) =>
  did('progressed', object, value === undefined ? {} : { extensions: { [`${own}/extensions/progress`]: value } })
const profile = { context: { contextActivities: { category: [{ id: 'https://w3id.org/xapi/seriousgame' }] } } }

const rulesOf = (statements: Statement[], isWhole = true) =>
  playWarnings(statements, isWhole).map((warnings) => warnings.map(({ rule }) => rule).join(' '))

const cases: [string, Statement[], string[]][] = [
  ['a level from start to end', [did('initialized'), progress(0.5), progress(1), did('completed')], ['', '', '', '']],
  [
    'a level twice',
    [did('initialized'), progress(1), did('completed'), did('initialized'), progress(0.1)],
    ['', '', '', '', ''],
  ],
  ['completed without a start', [did('completed')], ['completed-without-start']],
  ['completed twice', [did('initialized'), did('completed'), did('completed')], ['', '', 'completed-without-start']],
  ['a restart before the end', [did('initialized'), did('initialized')], ['', 'restart-before-end']],
  ['progress that goes back', [progress(0.8), progress(0.8), progress(0.3)], ['', '', 'progress-goes-back']],
  [
    'progress after a restart',
    [did('initialized'), progress(0.8), did('initialized'), progress(0.1)],
    ['', '', 'restart-before-end', ''],
  ],
  ['progress above 1', [progress(50)], ['progress-out-of-range']],
  ['progress below 0', [progress(-1)], ['progress-out-of-range']],
  ['progress as text', [progress('0.5')], ['progress-out-of-range']],
  ['no progress', [progress()], ['progress-missing']],
  ['an intro that is skipped', [did('accessed', intro), did('skipped', intro)], ['', '']],
  ['skipped before accessed', [did('skipped', intro), did('accessed', intro)], ['skipped-before-accessed', '']],
  ['a choice', [did('selected', menu, { response: 'Play' }), did('unlocked', menu, { response: 'Duel' })], ['', '']],
  ['no choice', [did('selected', menu), did('unlocked', menu, { response: '' })], ['no-response', 'no-response']],
  ['a thing without a type', [did('used', { id: 'https://g.example/x' })], ['unknown-type']],
  [
    'a type that is not known',
    [did('used', { id: 'https://g.example/x', definition: { type: 'https://t.example/x' } })],
    ['unknown-type'],
  ],
  ['a type of something else', [did('accessed', sword)], ['type-does-not-fit']],
  [
    'a question',
    [
      did(
        'selected',
        { id: 'https://g.example/q', definition: { type: 'http://adlnet.gov/expapi/activities/question' } },
        { response: 'x' },
        profile,
      ),
    ],
    [''],
  ],
]
test.each(cases)('%s', (_name, statements, rules) => expect(rulesOf(statements)).toEqual(rules))

describe('statements that are not of the profile get no warning:', () => {
  const course = { id: 'https://g.example/c', definition: { type: 'http://adlnet.gov/expapi/activities/course' } }
  const others: [string, Statement][] = [
    ['ADL’s verbs', did('completed', course)],
    ['another verb', did('https://games.example.org/verbs/played', course)],
    ['an agent as object', did('skipped', { objectType: 'Agent', mbox: 'mailto:ben@example.com' }, undefined, profile)],
  ]
  test.each(others)('%s', (_name, statement) => expect(rulesOf([statement])).toEqual(['']))
  test('unless they say that they are', () =>
    expect(rulesOf([did('completed', course, undefined, profile)])).toEqual(['completed-without-start unknown-type']))
  test('but they are the start of what follows', () =>
    expect(rulesOf([did('initialized', { id: level.id }), did('completed')])).toEqual(['', '']))
})

test('nothing is said of what may have come before, when the beginning is not known', () => {
  expect(rulesOf([did('completed'), did('skipped', intro), did('completed')], false)).toEqual([
    '',
    '',
    'completed-without-start',
  ])
})

test('the texts name the thing and say what to do', () => {
  const [[warning] = []] = playWarnings([did('completed')], true)
  expect(warning!.text).toBe(
    '“Level 1” is completed, but this session did not start it. Send “initialized” when the player begins; without ' +
      'it the time is not known.',
  )
  const long = { id: `https://g.example/${'x'.repeat(3_000)}` }
  for (const warnings of playWarnings([did('used', long), did('skipped', long, undefined, profile)], true))
    for (const { text } of warnings) expect(text.length).toBeLessThan(300)
})
