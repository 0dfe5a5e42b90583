import {
  arrayLiteral,
  arrayOf,
  column,
  did,
  done,
  sql,
  type Database,
  type Run,
} from '../../../process/database/database.ts'

export interface RunningSession {
  /** UUID. */
  readonly id: string
  /** Seconds since 1970. */
  readonly expires: number
}

const end = sql('session_end')`insert into ended_session (id, expires)
    select id, to_timestamp(expires) from unnest($1::uuid[], $2::float8[]) s (id, expires)
    on conflict do nothing returning id`
const find = sql('session_ended')`select from ended_session where id = $1`
const among = sql('sessions_ended')`select id from ended_session where id = any ($1::uuid[])`
const sweep = sql('session_ended_sweep')`delete from ended_session where expires < now()`

/** Ends sessions; returns how many had not ended yet. */
export const endSessions = async (run: Run, sessions: readonly RunningSession[]): Promise<number> =>
  (await run(end, [arrayOf(sessions, ({ id }) => id), arrayOf(sessions, ({ expires }) => expires)])).length

/** Sessions that ended early. From the commit on every core refuses their requests: see versionOf(). */
export function endedSessionStore({ run }: Database) {
  return {
    end: (sessions: readonly RunningSession[]): Promise<number> => endSessions(run, sessions),
    has: (id: string) => did(run(find, [id])),
    /** Which of the sessions ended early. */
    among: (ids: readonly string[]) => column<string>(run(among, [arrayLiteral(ids)])),
    /** Deletes sessions whose tokens have expired. */
    sweep: () => done(run(sweep, [])),
  }
}
