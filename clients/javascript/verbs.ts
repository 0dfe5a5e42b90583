const adl = 'http://adlnet.gov/expapi/verbs/'
export const profile = 'https://w3id.org/xapi/seriousgames'
const own = `${profile}/verbs/`

/** What players do: verbs of ADL and of the serious-games profile (https://github.com/e-ucm/xapi-seriousgames). */
export const verbs = {
  initialized: `${adl}initialized`,
  progressed: `${adl}progressed`,
  completed: `${adl}completed`,
  passed: `${adl}passed`,
  failed: `${adl}failed`,
  scored: `${adl}scored`,
  terminated: `${adl}terminated`,
  answered: `${adl}answered`,
  interacted: `${adl}interacted`,
  accessed: `${own}accessed`,
  skipped: 'http://id.tincanapi.com/verb/skipped',
  selected: 'https://w3id.org/xapi/adb/verbs/selected',
  unlocked: `${own}unlocked`,
  used: `${own}used`,
  pressed: `${own}pressed`,
  released: `${own}released`,
} as const

export type Verb = keyof typeof verbs

/** From 0 to 1, in the extensions of a result. */
export const progressExtension = `${profile}/extensions/progress`

export const isIri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text)

/** `level`, `quest`, `item` and so on are types of the profile; an IRI stays. */
export const typeOf = (type: string): string => (isIri(type) ? type : `${profile}/activity-types/${type}`)

/** An IRI stays; a name stands below the game's own IRI. */
export const idBelow = (game: string, id: string): string => (isIri(id) ? id : `${game}/${encodeURI(id)}`)
