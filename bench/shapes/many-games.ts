import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, statement, teacher } from './statement.ts'

const start = Date.UTC(2026, 0, 5)

/** Games that share their learners and activities. */
export const manyGamesOf = (games: number): Shape => ({
  name: 'many-games',
  games,
  traffic(seed) {
    const dice = random(seed)
    let time = start
    return {
      next() {
        const id = dice.uuid()
        const level = dice.below(40)
        const who = dice.below(200)
        const json = statement(dice, {
          id,
          level,
          actor: learner(who),
          verb: anyVerb(dice),
          object: activity(level),
          registration: random(who * 40 + level).uuid(),
          device: device(dice),
          time: (time += 100),
          context: `"instructor":${teacher(who % 20)},`,
        })
        return { id, json, game: dice.below(games) }
      },
    }
  },
})

export const manyGames = manyGamesOf(5_000)
