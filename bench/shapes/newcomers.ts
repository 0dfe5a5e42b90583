import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, statement } from './statement.ts'

const start = Date.UTC(2026, 0, 5)
/** Numbers of learners for one seed; each seed has its own learners. */
const learnersOfSeed = 10_000_000

/**
 * Learners who come, play a little and go. All statements have one grouping activity and no parent: the column of
 * related terms has one value.
 * @param each mean number of statements of one learner
 */
function newcomers(name: string, each: number, activities: number): Shape {
  return {
    name,
    games: 1,
    traffic(seed) {
      const dice = random(seed)
      const first = (seed % 100_000) * learnersOfSeed
      let known = 1
      let time = start
      return {
        next() {
          const id = dice.uuid()
          const level = dice.below(activities)
          if (dice.next() < 1 / each) known++
          // the learner is one of the last 64
          const who = first + Math.max(0, known - 1 - dice.below(64))
          const own = random(who)
          const json = statement(dice, {
            id,
            actor: learner(who),
            verb: anyVerb(dice),
            object: activity(level),
            registration: own.uuid(),
            device: device(dice),
            time: (time += 40),
          })
          return { id, json, game: 0 }
        },
      }
    },
  }
}

/** Nearly every statement is the first of a new learner. */
export const launchDay = newcomers('launch-day', 1.1, 10)

/** Very many learners with a mean of five statements. */
export const oneGrouping = newcomers('one-grouping', 5, 500)
