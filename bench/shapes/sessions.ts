import { random } from '../random.ts'
import type { Shape } from './shape.ts'
import { activity, anyVerb, device, learner, statement, teacher } from './statement.ts'

const learners = 5_000
const activities = 300
const teachers = 50
/** Learners who play at the same time. */
const open = 16
const start = Date.UTC(2026, 0, 5)

interface Session {
  learner: number
  registration: string
  device: string
  time: number
  left: number
}

/** The default. 16 sessions run at a time. In a session one learner plays random levels: 120 to 200 statements. */
export const sessions: Shape = {
  name: 'sessions',
  games: 1,
  traffic(seed) {
    const dice = random(seed)
    const { below, next, uuid } = dice
    const newSession = (): Session => ({
      device: device(dice),
      learner: below(learners),
      registration: uuid(),
      time: start + below(86_400_000 * 200),
      left: 120 + below(81),
    })
    const playing = Array.from({ length: open }, newSession)
    return {
      next() {
        const slot = below(open)
        if (playing[slot]!.left-- === 0) playing[slot] = newSession()
        const session = playing[slot]!
        session.time += 400 + below(20_000)
        const id = uuid()
        const level = Math.floor(activities * next() ** 2)
        const json = statement(dice, {
          ...session,
          id,
          level,
          actor: learner(session.learner),
          verb: anyVerb(dice),
          object: activity(level),
          context: `"instructor":${teacher(session.learner % teachers)},`,
        })
        return { id, json, game: 0 }
      },
    }
  },
}
