import { setTimeout as sleep } from 'node:timers/promises'
import { isCut } from './failure.ts'
import type { Session } from './session.ts'

const patienceMs = 60_000
const longestWaitMs = 5000

/** Commands that reached core once. Others fail at once if core does not answer. */
const reached = new WeakSet<Session>()

/** Does what may be done again without harm; waits a minute for a core that goes away, with growing pauses. */
export async function again<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const { ending, note } = session
  const until = performance.now() + patienceMs
  for (let wait = 200; ; wait = Math.min(longestWaitMs, wait * 2)) {
    try {
      const done = await work()
      reached.add(session)
      return done
    } catch (error) {
      if (ending.aborted || !reached.has(session) || !isCut(error) || performance.now() > until) throw error
      if (wait === 400) note('Core does not answer. Trying again …')
      await sleep(wait * (0.75 + Math.random() / 2), undefined, { signal: ending })
    }
  }
}
