import { done, first, sql, type Run } from '../../../process/database/database.ts'
import { insertCredential } from './credentials.ts'

interface Held {
  readonly key: string
  readonly tenant: number
  readonly tenantId: string
}

interface HeldCredential {
  readonly id: number
  readonly key: string
  /** Its secret was shown. */
  readonly revealed: boolean
}

const ofTenant = sql('credential_of_tenant')`
  select id, key, revealed is not null as revealed from credential where game = $1 and revoked is null`
const setSecret = sql('credential_set_secret')`update credential set secret_hash = $2, version = version + 1,
      rotated = case when revealed is null then rotated else now() end,
      revealed = coalesce(revealed, now())
    where game = $1 and revoked is null`
const endAll = sql('credentials_end')`update credential set revoked = now(), version = version + 1
    where revoked is null and game in (select game from tenant where game = $1 or sandbox_of = $1)`
const ofSession = sql('credential_of_session')`
  select c.key, t.game as tenant, t.uuid as "tenantId" from credential c join tenant t on t.game = c.game
    where c.id = $1 and c.revoked is null and not exists (select from ended_session e where e.id = $2)
      and not exists (select from suspended_studio x where x.studio = t.studio)`

/** The game's credential that is not revoked. */
export const credentialOf = (run: Run, game: number) => first(run<HeldCredential>(ofTenant, [game]))

/** Key and tenant (UUID) of a session's credential; undefined: it was revoked, or the session has ended. */
export const sessionCredential = (run: Run, credential: number, session: string) =>
  first(run<Held>(ofSession, [credential, session]))

/** Changes of a game's credential, in transactions that lock the game. */
export const gameCredentials = {
  of: credentialOf,
  insert: insertCredential,
  /** Replaces the secret and marks it as shown; the old secret is refused from the commit on. */
  setSecret: (run: Run, game: number, secretHash: Buffer) => done(run(setSecret, [game, secretHash])),

  /** Revokes the credentials of a game and of its sandbox. */
  endAll: (run: Run, game: number) => done(run(endAll, [game])),
}
