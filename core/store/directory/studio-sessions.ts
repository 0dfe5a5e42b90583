import type { Database } from '../database.ts'
import { unlessReadOnly } from '../store-failure.ts'

/** A signed-in studio. */
export interface Developer {
  readonly studio: number
  /** UUID. */
  readonly studioId: string
  readonly email: string
  /** May decide reviews of any studio's games. */
  readonly reviewer: boolean
  /** The account was made in the last day. */
  readonly isNew: boolean
  /** SHA-256 of the session's token. */
  readonly session: Buffer
}

/** A session ends 30 days after its last use, 180 days after its start, or when its account used 100 others since. */
const sessionSeconds = 30 * 24 * 60 * 60
const longest = "interval '180 days'"
const mostSessions = 100

const bySession = {
  name: 'studio_by_session',
  text: `select s.id as studio, s.uuid as "studioId", s.email, s.reviewer,
      s.created > now() - interval '1 day' as "isNew", n.used < now() - interval '1 hour' as old
    from studio_session n join studio s on s.id = n.studio
    where n.hash = $1 and n.expires > now() and n.created > now() - ${longest}`,
}
const touch = {
  name: 'studio_session_touch',
  text: `update studio_session set used = now(), expires = now() + make_interval(secs => $2) where hash = $1`,
}
const startSession = {
  name: 'studio_session_start',
  // the lock: a concurrent change of the password waits, and then ends this session, too
  text: `with s as (select id from studio where id = $2 and password_hash = $4 for share)
    insert into studio_session (hash, studio, expires) select $1, id, now() + make_interval(secs => $3) from s
    returning extract(epoch from expires)::bigint::float8 as expires`,
}
const endOldest = {
  name: 'studio_session_end_oldest',
  text: `delete from studio_session where hash = any (array(
    select hash from studio_session where studio = $1 order by used desc, created desc offset $2))`,
}
const endSession = { name: 'studio_session_end', text: 'delete from studio_session where hash = $1' }
/** Ends the sessions of a studio; if `$2` is given, all but that one. */
export const endSessions = {
  name: 'studio_sessions_end',
  text: 'delete from studio_session where studio = $1 and hash is distinct from $2 returning 1',
}
const sweep = {
  name: 'studio_session_sweep',
  text: `delete from studio_session where expires < now() or created < now() - ${longest}`,
}

/** Sessions of studios, found by the hash of their token. */
export function studioSessionStore({ run, essential }: Database) {
  return {
    async find(session: Buffer): Promise<Developer | undefined> {
      const [row] = await run<Developer & { old: boolean }>(bySession, [session])
      if (row?.old) await run(touch, [session, sessionSeconds]).catch(unlessReadOnly)
      return (
        row && {
          studio: row.studio,
          studioId: row.studioId,
          email: row.email,
          reviewer: row.reviewer,
          isNew: row.isNew,
          session,
        }
      )
    },

    /** Returns when the session ends if unused, in seconds since 1970; undefined: the password was changed. */
    async start(studio: number, passwordHash: string, hash: Buffer): Promise<number | undefined> {
      const [started] = await essential<{ expires: number }>(startSession, [hash, studio, sessionSeconds, passwordHash])
      if (started) await essential(endOldest, [studio, mostSessions])
      return started?.expires
    },
    end: async ({ session }: Developer): Promise<void> => void (await essential(endSession, [session])),
    /** Returns how many there were. */
    endAll: async (studio: number): Promise<number> => (await essential(endSessions, [studio, null])).length,
    /** Deletes sessions that have ended. */
    sweep: async (): Promise<void> => void (await essential(sweep, [])),
  }
}
