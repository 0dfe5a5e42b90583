import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, site, statement, teacher } from './statement.ts'

const learners = 2_000
const teams = 400
const activities = 100
const start = Date.UTC(2026, 0, 5)

/** A Group of five learners. */
function team(number: number): string {
  const members = Array.from({ length: 5 }, (_, n) => learner((number * 5 + n) % learners))
  return (
    `{"objectType":"Group","name":"Team ${number}","account":{"homePage":"${site}","name":"team-${number}"},` +
    `"member":[${members.join()}]}`
  )
}

/** Half of the actors are Groups. Every context has a team and an instructor, so most terms are in postings. */
export const groups: Shape = {
  name: 'groups',
  games: 1,
  traffic(seed) {
    const dice = random(seed)
    let time = start
    return {
      next() {
        const id = dice.uuid()
        const level = dice.below(activities)
        const number = dice.below(teams)
        const acts = dice.next() < 0.5 ? team(number) : learner((number * 5) % learners)
        const json = statement(dice, {
          id,
          level,
          actor: acts,
          verb: anyVerb(dice),
          object: activity(level),
          registration: random(number).uuid(),
          device: device(dice),
          time: (time += 500),
          context: `"instructor":${teacher(number % 20)},"team":${team(number)},`,
        })
        return { id, json, game: 0 }
      },
    }
  },
}
