import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, statement, teacher } from './statement.ts'

const learners = 30
const activities = 20
const start = Date.UTC(2026, 0, 5)

/** Few learners, each with very many statements, a registration for each learner and activity. */
export const classroom: Shape = {
  name: 'classroom',
  games: 1,
  traffic(seed) {
    const dice = random(seed)
    const registrations = new Map<number, string>()
    const own = random(1)
    for (let n = 0; n < learners * activities; n++) registrations.set(n, own.uuid())
    let time = start
    return {
      next() {
        const id = dice.uuid()
        const level = dice.below(activities)
        const who = dice.below(learners)
        const json = statement(dice, {
          id,
          level,
          actor: learner(who),
          verb: anyVerb(dice),
          object: activity(level),
          registration: registrations.get(who * activities + level)!,
          device: device(dice),
          time: (time += 900),
          context: `"instructor":${teacher(0)},`,
        })
        return { id, json, game: 0 }
      },
    }
  },
}
