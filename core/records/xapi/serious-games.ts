/**
 * The vocabulary of the serious-games profile of xAPI (e-UCM and ADL). The IRIs are those of the profile
 * (github.com/e-ucm/xapi-seriousgames, README.md and seriousgames.jsonld) and those that its trackers send:
 * e-ucm/unity-tracker, e-ucm/csharp-tracker, e-ucm/java-tracker, e-ucm/js-tracker, e-ucm/xasu and
 * e-ucm/libgdx-tracker, which took some verbs from other vocabularies and kept names from before the profile.
 */

/** What a player does, by the name that the profile gives it; `answered` is ADL's verb for questions. */
export type PlayVerb =
  | 'initialized'
  | 'progressed'
  | 'completed'
  | 'accessed'
  | 'skipped'
  | 'selected'
  | 'unlocked'
  | 'interacted'
  | 'used'
  | 'pressed'
  | 'released'
  | 'answered'

/**
 * What a thing of a game is for: to be completed, reached, chosen from, targeted; or the device in the player's hand.
 */
export type Family = 'completable' | 'reachable' | 'alternative' | 'target' | 'device'

const own = 'https://w3id.org/xapi/seriousgames'
const adl = 'http://adlnet.gov/expapi'
const old = 'https://rage.e-ucm.es/xapi'

const families: Readonly<Record<Exclude<PlayVerb, 'answered'>, Family>> = {
  initialized: 'completable',
  progressed: 'completable',
  completed: 'completable',
  accessed: 'reachable',
  skipped: 'reachable',
  selected: 'alternative',
  unlocked: 'alternative',
  interacted: 'target',
  used: 'target',
  pressed: 'device',
  released: 'device',
}
const verbSpaces = [
  `${own}/verbs/`,
  `${adl}/verbs/`,
  'https://w3id.org/xapi/adb/verbs/',
  'http://id.tincanapi.com/verb/',
  'http://activitystrea.ms/schema/1.0/',
  `${old}/seriousgames/verbs/`,
]
const verbs = new Map<string, PlayVerb>([
  ...verbSpaces.flatMap((space) => Object.keys(families).map((verb) => [space + verb, verb as PlayVerb] as const)),
  [`${adl}/verbs/answered`, 'answered'],
  // before the profile
  [`${adl}/verbs/preferred`, 'selected'],
  ['http://activitystrea.ms/schema/1.0/access', 'accessed'],
  ['http://activitystrea.ms/schema/1.0/started', 'initialized'],
])

/** Also types that trackers send although the profile does not have them. */
const types: Readonly<Record<Family, readonly string[]>> = {
  completable: [
    'serious-game',
    'level',
    'quest',
    'session',
    'stage',
    'combat',
    'story-node',
    'race',
    'completable',
    'completeable',
    'dialog-node',
    'dialog-fragment',
  ],
  reachable: ['screen', 'area', 'zone', 'cutscene', 'reachable', 'accessible'],
  alternative: ['menu', 'dialog-tree', 'question', 'path', 'arena', 'alternative'],
  target: ['enemy', 'item', 'non-player-character', 'game-object'],
  device: ['mouse', 'keyboard', 'controller', 'touchscreen', 'button', 'device'],
}
const familyOfType = new Map(
  Object.entries(types).flatMap(([family, names]) => names.map((name) => [name, family as Family] as const)),
)
const typeSpaces = [`${own}/activity-types/`, `${old}/seriousgames/activities/`]
const otherTypes = new Map([
  [`${adl}/activities/question`, 'question'],
  [`${adl}/activities/cmi.interaction`, 'question'],
  ['http://activitystrea.ms/schema/1.0/game', 'serious-game'],
  ['http://curatr3.com/define/type/level', 'level'],
])
/** Names without hyphens too: some trackers write StoryNode or Cutscene. */
const spellings = new Map([...familyOfType.keys()].map((name) => [name.replaceAll('-', ''), name]))

/** All IRIs of verbs that are known here. */
export const playVerbIris: readonly string[] = [...verbs.keys()]

/** @returns undefined: the verb is not of the profile */
export const playVerb = (iri: string): PlayVerb | undefined => verbs.get(iri)

/** IRIs of all verbs of answers and choices. */
export const answerVerbs: readonly string[] = [...verbs].flatMap(([iri, verb]) =>
  verb === 'answered' || verb === 'selected' ? [iri] : [],
)

/** The player starts something that can be completed. */
export const isStart = (iri: string): boolean => verbs.get(iri) === 'initialized'

/** The player has finished something, well or not. */
export const isEnd = (iri: string): boolean => verbs.get(iri) === 'completed'

/** The verb is of the profile's own namespace: nothing but the profile means it. */
export const isOwnVerb = (iri: string): boolean => verbs.has(iri) && iri.startsWith(own)

/** For instance `dialog-tree`; undefined: not a type of the profile or its trackers. */
export function playType(iri: unknown): string | undefined {
  if (typeof iri !== 'string') return undefined
  const space = typeSpaces.find((one) => iri.startsWith(one))
  return space === undefined
    ? otherTypes.get(iri)
    : spellings.get(iri.slice(space.length).toLowerCase().replaceAll('-', ''))
}

/** The type is of the namespace of the profile, or the one before it. */
export const isOwnType = (iri: string | undefined): boolean =>
  iri !== undefined && typeSpaces.some((space) => iri.startsWith(space))

export const familyOf = (verb: PlayVerb): Family => (verb === 'answered' ? 'alternative' : families[verb])

export const familyOfThing = (type: string): Family | undefined => familyOfType.get(type)

/** Types of a family in the profile's words, for messages. */
export const typesOf = (family: Family): string => types[family].slice(0, 4).join(', ')

/** Trackers leave out the last letter or add a version. */
export const isProfile = (categoryIri: string): boolean =>
  /^https?:\/\/w3id\.org\/xapi\/seriousgames?(?:\/|$)/.test(categoryIri)

export const extensions = {
  progress: [`${own}/extensions/progress`, `${old}/ext/progress`],
  health: [`${own}/extensions/health`],
  position: [`${own}/extensions/position`],
} as const

/** The value of an extension of `result`, under whichever of its IRIs. */
export function extensionOf(result: unknown, name: keyof typeof extensions): unknown {
  const all = (result as { extensions?: Record<string, unknown> } | undefined)?.extensions
  if (typeof all !== 'object' || all === null) return undefined
  const iri = extensions[name].find((one) => Object.hasOwn(all, one))
  return iri === undefined ? undefined : all[iri]
}

/** cmi5 counts from 0 to 100 (cmi5 9.5.5.2). */
const progressOfCmi5 = 'https://w3id.org/xapi/cmi5/result/extensions/progress'

/** The progress that a result tells, from 0 to 1 if it is right; undefined: it tells none. */
export function progressOf(result: unknown): unknown {
  const own = extensionOf(result, 'progress')
  if (own !== undefined) return own
  const percent = (result as { extensions?: Record<string, unknown> } | undefined)?.extensions?.[progressOfCmi5]
  return typeof percent === 'number' ? percent / 100 : percent
}
