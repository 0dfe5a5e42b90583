import type { random } from '../random.ts'

export type Random = ReturnType<typeof random>

export const site = 'https://play.example.org'
/** The grouping activity of every statement, as in real games. */
export const grouping = `${site}/games/orbit`

export const answered = 'http://adlnet.gov/expapi/verbs/answered'
export const voided = 'http://adlnet.gov/expapi/verbs/voided'

const verbs = [
  { share: 0.55, json: verb(answered, 'answered', 'beantwortete') },
  { share: 0.75, json: verb('http://adlnet.gov/expapi/verbs/progressed', 'progressed', 'kam voran') },
  { share: 0.88, json: verb('http://adlnet.gov/expapi/verbs/experienced', 'experienced', 'erlebte') },
  { share: 0.96, json: verb('http://adlnet.gov/expapi/verbs/attempted', 'attempted', 'versuchte') },
  { share: 1, json: verb('http://adlnet.gov/expapi/verbs/completed', 'completed', 'beendete') },
]

const devices = ['Windows 11; Chrome 142', 'macOS 15.4; Safari 18', 'Chromebook; Chrome 141', 'iPad; Safari 18']

/** JSON of one of five verbs; more than half are `answered`. */
export function anyVerb({ next }: Random): string {
  const share = next()
  return verbs.find((verb) => share < verb.share)!.json
}

export const device = ({ pick }: Random): string => pick(devices)

/** JSON of the Agent of a learner. */
export function learner(number: number): string {
  const name = String(number).padStart(5, '0')
  return `{"objectType":"Agent","name":"Learner ${name}","account":{"homePage":"${site}","name":"learner-${name}"}}`
}

/** JSON of the Agent of a teacher. */
export function teacher(number: number): string {
  return `{"objectType":"Agent","account":{"homePage":"${site}","name":"teacher-${number}"}}`
}

/** The IRI of the activity of this number. */
export function activityId(number: number): string {
  return `${site}/worlds/${number % 12}/levels/${number}`
}

export function activity(number: number): string {
  return (
    `{"objectType":"Activity","id":"${activityId(number)}",` +
    `"definition":{"type":"http://adlnet.gov/expapi/activities/simulation",` +
    `"name":{"en":"Level ${number}","de":"Stufe ${number}"},"description":{"en":"Reach orbit ${number % 25}."}}}`
  )
}

const refers = '{"objectType":"StatementRef"'

export function reference(id: string): string {
  return `${refers},"id":"${id}"}`
}

export function verb(id: string, english: string, german: string): string {
  return `{"id":"${id}","display":{"en":"${english}","de":"${german}"}}`
}

export interface Parts {
  id: string
  actor: string
  verb: string
  object: string
  registration: string
  /** Number of the level whose world is the parent activity; without it there is no parent. */
  level?: number
  /** Platform; only if the object is an Activity. */
  device?: string
  /** Milliseconds since 1970. */
  time: number
  /** Further members of the context, as `"instructor":…,`. */
  context?: string
}

/** A statement of about 1.2 KB, as games send them. */
export function statement(
  random: Random,
  { id, actor, verb, object, registration, level, device, time, context = '' }: Parts,
): string {
  const { below } = random
  const scaled = below(101) / 100
  // xAPI allows `platform` only if the object is an Activity
  const platform = object.startsWith(refers) ? '' : `"platform":"${device}",`
  const parent = level === undefined ? '' : `"parent":[{"id":"${site}/worlds/${level % 12}"}],`
  return (
    `{"id":"${id}","actor":${actor},"verb":${verb},"object":${object},` +
    `"result":{"score":{"scaled":${scaled},"raw":${Math.round(scaled * 1000)}},"success":${scaled > 0.5},` +
    `"duration":"PT${1 + below(90)}.${below(10)}S","response":"choice-${below(6)}"},` +
    `"context":{"registration":"${registration}",${context}` +
    `${platform}"language":"de-DE","contextActivities":{${parent}` +
    `"grouping":[{"id":"${grouping}"}]},` +
    `"extensions":{"${site}/x/position":{"x":${below(4096)},"y":${below(4096)},"room":"r-${below(64)}"},` +
    `"${site}/x/build":"4.2.${below(9)}"}},"timestamp":"${new Date(time).toISOString()}"}`
  )
}
