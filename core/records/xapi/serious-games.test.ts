import { expect, test } from 'vitest'
import { extensionOf, familyOf, isEnd, isOwnVerb, isProfile, isStart, playType, playVerb } from './serious-games.ts'

const own = 'https://w3id.org/xapi/seriousgames'

/** As the profile and its trackers write them. */
const verbs: [string, ReturnType<typeof playVerb>][] = [
  ['http://adlnet.gov/expapi/verbs/initialized', 'initialized'],
  ['https://w3id.org/xapi/adb/verbs/initialized', 'initialized'],
  ['http://activitystrea.ms/schema/1.0/started', 'initialized'],
  ['http://adlnet.gov/expapi/verbs/progressed', 'progressed'],
  ['http://adlnet.gov/expapi/verbs/completed', 'completed'],
  [`${own}/verbs/accessed`, 'accessed'],
  ['http://activitystrea.ms/schema/1.0/accessed', 'accessed'],
  ['http://activitystrea.ms/schema/1.0/access', 'accessed'],
  ['http://id.tincanapi.com/verb/skipped', 'skipped'],
  ['https://w3id.org/xapi/adb/verbs/selected', 'selected'],
  ['http://id.tincanapi.com/verb/selected', 'selected'],
  ['http://adlnet.gov/expapi/verbs/preferred', 'selected'],
  [`${own}/verbs/unlocked`, 'unlocked'],
  ['http://adlnet.gov/expapi/verbs/interacted', 'interacted'],
  [`${own}/verbs/used`, 'used'],
  [`${own}/verbs/pressed`, 'pressed'],
  [`${own}/verbs/released`, 'released'],
  ['http://adlnet.gov/expapi/verbs/answered', 'answered'],
  ['http://adlnet.gov/expapi/verbs/experienced', undefined],
  ['https://games.example.org/verbs/used', undefined],
]
test.each(verbs)('%s: %s', (iri, verb) => expect(playVerb(iri)).toBe(verb))

test('starts, ends and families', () => {
  const named = (of: (iri: string) => boolean) => new Set(verbs.filter(([iri]) => of(iri)).map(([, verb]) => verb))
  expect(named(isStart)).toEqual(new Set(['initialized']))
  expect(named(isEnd)).toEqual(new Set(['completed']))
  expect(named(isOwnVerb)).toEqual(new Set(['accessed', 'unlocked', 'used', 'pressed', 'released']))
  expect([familyOf('completed'), familyOf('answered'), familyOf('released')]).toEqual([
    'completable',
    'alternative',
    'device',
  ])
})

const types: [unknown, string | undefined][] = [
  [`${own}/activity-types/serious-game`, 'serious-game'],
  [`${own}/activity-types/Cutscene`, 'cutscene'],
  [`${own}/activity-types/non-player-character`, 'non-player-character'],
  ['https://rage.e-ucm.es/xapi/seriousgames/activities/StoryNode', 'story-node'],
  ['http://adlnet.gov/expapi/activities/question', 'question'],
  ['http://adlnet.gov/expapi/activities/cmi.interaction', 'question'],
  ['http://curatr3.com/define/type/level', 'level'],
  [`${own}/activity-types/spaceship`, undefined],
  ['http://adlnet.gov/expapi/activities/course', undefined],
  [undefined, undefined],
]
test.each(types)('the type %s: %s', (iri, type) => expect(playType(iri)).toBe(type))

const categories: [string, boolean][] = [
  [own, true],
  ['https://w3id.org/xapi/seriousgame', true],
  [`${own}/v1.0`, true],
  [`${own}x`, false],
  ['https://w3id.org/xapi/scorm', false],
]
test.each(categories)('the category %s: %s', (iri, expected) => expect(isProfile(iri)).toBe(expected))

test('extensions under any of their IRIs', () => {
  const of = (extensions: unknown) => extensionOf({ extensions }, 'progress')
  expect(of({ [`${own}/extensions/progress`]: 0.5 })).toBe(0.5)
  expect(of({ 'https://rage.e-ucm.es/xapi/ext/progress': 1 })).toBe(1)
  expect(of({ 'https://w3id.org/xapi/cmi5/result/extensions/progress': 50 })).toBeUndefined()
  expect([of(undefined), of(null), extensionOf(undefined, 'health')]).toEqual([undefined, undefined, undefined])
})
