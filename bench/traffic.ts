import { random } from './random.ts'

export const learners = 5_000
export const activities = 300
const teachers = 50
/** Learners who play at the same time. */
const sessions = 16
const start = Date.UTC(2026, 0, 5)

const site = 'https://play.example.org'
const verbs = [
  { share: 0.55, json: verb('http://adlnet.gov/expapi/verbs/answered', 'answered', 'beantwortete') },
  { share: 0.75, json: verb('http://adlnet.gov/expapi/verbs/progressed', 'progressed', 'kam voran') },
  { share: 0.88, json: verb('http://adlnet.gov/expapi/verbs/experienced', 'experienced', 'erlebte') },
  { share: 0.96, json: verb('http://adlnet.gov/expapi/verbs/attempted', 'attempted', 'versuchte') },
  { share: 1, json: verb('http://adlnet.gov/expapi/verbs/completed', 'completed', 'beendete') },
]

interface Session {
  learner: number
  registration: string
  device: string
  time: number
  left: number
}

/**
 * Game traffic without end, the same for the same seed: each of 16 sessions at a time is a learner who plays a level
 * after the other, 120 to 200 statements of about 1 KB.
 */
export function traffic(seed: number) {
  const { below, next, pick, uuid } = random(seed)
  const open = Array.from({ length: sessions }, newSession)

  function newSession(): Session {
    const device = pick(['Windows 11; Chrome 142', 'macOS 15.4; Safari 18', 'Chromebook; Chrome 141', 'iPad; Safari 18'])
    return { learner: below(learners), registration: uuid(), device, time: start + below(86_400_000 * 200), left: 120 + below(81) }
  }

  return {
    /** The next statement as JSON text, with its id. */
    next(): { id: string; json: string } {
      const slot = below(sessions)
      const session = open[slot]!
      if (session.left-- === 0) open[slot] = newSession()
      session.time += 400 + below(20_000)
      const id = uuid()
      const number = Math.floor(activities * next() ** 2)
      const share = next()
      const { json: verb } = verbs.find((verb) => share < verb.share)!
      const scaled = below(101) / 100
      const json = `{"id":"${id}","actor":${learner(session.learner)},"verb":${verb},"object":${activity(number)},` +
        `"result":{"score":{"scaled":${scaled},"raw":${Math.round(scaled * 1000)}},"success":${scaled > 0.5},` +
        `"duration":"PT${1 + below(90)}.${below(10)}S","response":"choice-${below(6)}"},` +
        `"context":{"registration":"${session.registration}","instructor":${teacher(session.learner % teachers)},` +
        `"platform":"${session.device}","language":"de-DE","contextActivities":{"parent":[{"id":"${site}/worlds/${number % 12}"}],` +
        `"grouping":[{"id":"${site}/games/orbit"}]},"extensions":{"${site}/x/position":{"x":${below(4096)},"y":${below(4096)},"room":"r-${below(64)}"},` +
        `"${site}/x/build":"4.2.${below(9)}"}},"timestamp":"${new Date(session.time).toISOString()}"}`
      return { id, json }
    },
  }
}

/** JSON of the Agent that a learner is. */
export function learner(number: number): string {
  const name = String(number).padStart(5, '0')
  return `{"objectType":"Agent","name":"Learner ${name}","account":{"homePage":"${site}","name":"learner-${name}"}}`
}

function teacher(number: number): string {
  return `{"objectType":"Agent","account":{"homePage":"${site}","name":"teacher-${number}"}}`
}

/** The IRI of the activity of this number. */
export function activityId(number: number): string {
  return `${site}/worlds/${number % 12}/levels/${number}`
}

function activity(number: number): string {
  return `{"objectType":"Activity","id":"${activityId(number)}","definition":{"type":"http://adlnet.gov/expapi/activities/simulation",` +
    `"name":{"en":"Level ${number}","de":"Stufe ${number}"},"description":{"en":"Reach orbit ${number % 25}."}}}`
}

function verb(id: string, english: string, german: string): string {
  return `{"id":"${id}","display":{"en":"${english}","de":"${german}"}}`
}
