import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, reference, statement, teacher, verb, voided } from './statement.ts'

const learners = 500
const activities = 50
const start = Date.UTC(2026, 0, 5)
/** Number of recent statements that a reference may refer to. */
const lately = 1_000
/** Number of statements that are voided one after the other. */
const run = 50
/** Number of statements from one such run to the next. */
const between = 1_000
const voids = verb(voided, 'voided', 'annullierte')

/** A quarter of the statements refer to others, some in chains. In every 1,000, a run of 50 is voided. */
export const references: Shape = {
  name: 'references',
  games: 1,
  traffic(seed) {
    const dice = random(seed)
    const recent: string[] = []
    let time = start
    let made = 0
    let toVoid: string[] = []
    return {
      next() {
        const id = dice.uuid()
        const level = dice.below(activities)
        const who = dice.below(learners)
        if (++made % between === 0) toVoid = recent.slice(-run)
        const gone = toVoid.pop()
        const target = gone ?? (recent.length > 0 && dice.next() < 0.25 ? dice.pick(recent) : undefined)
        const json = statement(dice, {
          id,
          level,
          actor: gone === undefined ? learner(who) : teacher(0),
          verb: gone === undefined ? anyVerb(dice) : voids,
          ...(target === undefined ? { object: activity(level), device: device(dice) } : { object: reference(target) }),
          registration: random(who).uuid(),
          time: (time += 500),
          context: `"instructor":${teacher(who % 20)},`,
        })
        if (gone === undefined) recent.push(id)
        if (recent.length > lately) recent.splice(0, lately / 2)
        return { id, json, game: 0 }
      },
    }
  },
}
