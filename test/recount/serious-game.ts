import { randomUUID } from 'node:crypto'

const adl = 'http://adlnet.gov/expapi/verbs/'
const adb = 'https://w3id.org/xapi/adb/verbs/'
const types = 'https://w3id.org/xapi/seriousgames/activity-types'
const question = 'http://adlnet.gov/expapi/activities/cmi.interaction'
const at = 'https://games.example/caves'

const thing = (path: string, name: string, type: string) => ({
  id: `${at}/${path}`,
  definition: { name: { en: name, de: `${name} (de)` }, type },
})
const game = thing('', 'Caves', `${types}/serious-game`)
const levels = Array.from({ length: 6 }, (_, n) => thing(`levels/${n + 1}`, `Cave ${n + 1}`, `${types}/level`))
const questions = Array.from({ length: 8 }, (_, n) => thing(`questions/${n + 1}`, `Question ${n + 1}`, question))

/** The same numbers from 0 up to below 1 for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Statements of one session in the profile of serious games: a start, levels with attempts, progress, choices, items
 * and questions; some leave in the middle, some repeat, some play offline and have a clock of their own.
 * @param learner number of the learner
 * @param began milliseconds since 1970
 */
export function* sessionOf(learner: number, began: number, random: () => number): Generator<object> {
  const registration = randomUUID()
  const revision = random() < 0.5 ? '1.0' : '1.1'
  let now = began + (random() < 0.1 ? -3_600_000 : 0)
  const say = (verb: string, object: object, result?: object): object => {
    now += 500 + Math.floor(random() * 20_000)
    return {
      id: randomUUID(),
      actor: { name: `Learner ${learner}`, account: { homePage: 'https://school.example', name: `pupil-${learner}` } },
      verb: { id: verb, display: { en: verb.split('/').at(-1) } },
      object,
      result,
      context: {
        registration,
        revision,
        contextActivities: {
          category: [{ id: 'https://w3id.org/xapi/seriousgames' }],
          ...(object === game ? {} : { grouping: [{ id: game.id }] }),
        },
      },
      timestamp: new Date(now).toISOString(),
    }
  }
  yield say(`${adl}initialized`, game)
  const skill = 0.2 + random() * 0.7
  for (const [n, level] of levels.entries()) {
    for (let again = true; again;) {
      yield say(random() < 0.5 ? `${adl}initialized` : `${adb}started`, level)
      if (random() < 0.3) yield say(`${adl}initialized`, level)
      yield say(`${adl}progressed`, level, {
        extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': Number(random().toFixed(2)) },
      })
      yield say(`${adb}selected`, thing('menus/doors', 'Doors', `${types}/menu`), {
        response: random() < skill ? 'left' : 'right',
        success: random() < skill,
      })
      yield say(`${adl}interacted`, thing(`items/${Math.floor(random() * 5)}`, 'An item', `${types}/item`))
      const right = random() < skill
      yield say(`${adl}answered`, questions[Math.floor(random() * questions.length)]!, {
        success: right,
        response: right ? 'a' : 'b',
      })
      if (random() < 0.08) return
      const score = Math.round(Math.min(1, skill * (0.5 + random())) * 1000) / 1000
      const kind = random()
      const result = {
        score: kind < 0.2 ? { raw: Math.round(score * 50), min: 0, max: 50 } : { scaled: score },
        ...(kind < 0.7 ? { success: score > 0.4 } : {}),
        ...(random() < 0.4 ? { duration: `PT${(10 + random() * 200).toFixed(1)}S` } : {}),
      }
      yield say(kind < 0.8 ? `${adl}completed` : score > 0.4 ? `${adl}passed` : `${adl}failed`, level, result)
      again = score <= 0.4 && random() < 0.5
    }
    if (random() > 0.55 + skill / 3 + n / 100) return
  }
  yield say(`${adl}completed`, game, { completion: true })
  yield say(`${adl}terminated`, game)
}
