import type { Database } from './database.ts'
import { unlessReadOnly } from './store-failure.ts'

/** A signed-in studio. */
export interface Developer {
  readonly studio: number
  /** UUID. */
  readonly studioId: string
  readonly email: string
  /** May decide reviews of any studio's games. */
  readonly reviewer: boolean
  /** SHA-256 of the session's token. */
  readonly session: Buffer
}

/** A session ends when it has not been used for 30 days. */
export const sessionSeconds = 30 * 24 * 60 * 60

const bySession = {
  name: 'studio_by_session',
  text: `select s.id as studio, s.uuid as "studioId", s.email, s.reviewer, n.used < now() - interval '1 hour' as old
    from studio_session n join studio s on s.id = n.studio where n.hash = $1 and n.expires > now()`,
}
const touch = {
  name: 'studio_session_touch',
  text: `update studio_session set used = now(), expires = now() + make_interval(secs => $2) where hash = $1`,
}

/** Sessions of studios, found by the hash of their token. */
export function studioSessionStore({ run }: Database) {
  return {
    async find(session: Buffer): Promise<Developer | undefined> {
      const [row] = await run<Developer & { old: boolean }>(bySession, [session])
      if (row?.old) await run(touch, [session, sessionSeconds]).catch(unlessReadOnly)
      return row && { studio: row.studio, studioId: row.studioId, email: row.email, reviewer: row.reviewer, session }
    },
  }
}
