import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, statement, teacher } from './statement.ts'

const games = 20
const learners = 20_000
const activities = 300
const start = Date.UTC(2026, 0, 5)

/** One game has 99 % of the statements, and one learner 10 % of each game. */
export const whale: Shape = {
  name: 'whale',
  games,
  traffic(seed) {
    const dice = random(seed)
    let time = start
    return {
      next() {
        const id = dice.uuid()
        const game = dice.next() < 0.99 ? 0 : 1 + dice.below(games - 1)
        const level = dice.below(activities)
        const who = dice.next() < 0.1 ? 0 : 1 + dice.below(learners - 1)
        const json = statement(dice, {
          id,
          level,
          actor: learner(who),
          verb: anyVerb(dice),
          object: activity(level),
          registration: random(who * 4 + dice.below(4)).uuid(),
          device: device(dice),
          time: (time += 300),
          context: `"instructor":${teacher(who % 50)},`,
        })
        return { id, json, game }
      },
    }
  },
}
