import type { Database } from './database.ts'

const endOne = {
  name: 'session_end',
  text: 'insert into ended_session (id, expires) values ($1, to_timestamp($2)) on conflict do nothing returning id',
}
const endLaunches = (which: string) =>
  `insert into ended_session (id, expires) select uuid, expires from launch where ${which} and expires > now() on conflict do nothing returning id`
const endBySecret = { name: 'session_end_by_secret', text: endLaunches('secret_hash = $1') }
/** For the transaction that revokes or erases. */
export const endOfLearner = { name: 'session_end_of_learner', text: endLaunches('learner = $1') }
const find = { name: 'session_ended', text: 'select from ended_session where id = $1' }
const sweep = { name: 'session_ended_sweep', text: 'delete from ended_session where expires < now()' }

/** Sessions that ended early. From the commit on every core refuses their requests: see versionOf(). */
export function endedSessionStore({ run }: Database) {
  // each returns how many ended
  return {
    /** @param expires seconds since 1970 */
    end: async (id: string, expires: number): Promise<number> => (await run(endOne, [id, expires])).length,
    endBySecret: async (secretHash: Buffer): Promise<number> => (await run(endBySecret, [secretHash])).length,
    /** Ends all sessions of the learner. */
    endOfLearner: async (learner: string): Promise<number> => (await run(endOfLearner, [learner])).length,
    has: async (id: string): Promise<boolean> => (await run(find, [id])).length > 0,
    /** Deletes sessions whose tokens have expired. */
    sweep: async (): Promise<void> => void (await run(sweep, [])),
  }
}
