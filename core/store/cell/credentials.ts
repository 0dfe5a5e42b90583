import { currentCredential } from './current.ts'
import type { Database } from '../database.ts'
import type { Credentialed } from './write-statements.ts'

/** What a credential may do, by the names of the standard (xAPI 1.0.3 Communication 4.2). */
export const scopes = [
  'statements/write',
  'statements/read/mine',
  'statements/read',
  'state',
  'define',
  'profile',
  'all/read',
  'all',
] as const
export type Scope = (typeof scopes)[number]

export interface Credential {
  readonly id: number
  readonly key: string
  readonly game: number
  readonly gameId: string
  /** The studio of the game, or of the sandbox's game; null: none. */
  readonly studio: number | null
  /** SHA-256 of the secret. */
  readonly secretHash: Buffer
  /** JSON of the Agent that becomes the authority of its statements. */
  readonly authority: string
  readonly scopes: readonly Scope[]
  /** Counts every change. */
  readonly version: number
  readonly revoked: boolean
  /** The game is the tenant of another game's sandbox. */
  readonly sandbox: boolean
}

export type NewCredential = Pick<Credential, 'key' | 'secretHash' | 'authority' | 'scopes'>

const byKey = {
  name: 'credential_by_key',
  text: `select c.id, c.key, c.game, t.uuid as "gameId", c.secret_hash as "secretHash", c.authority, c.scopes,
      c.version, c.revoked is not null as revoked,
      t.sandbox_of is not null as sandbox, t.studio
    from credential c join tenant t on t.game = c.game where c.key = $1`,
}

const isCurrent = { name: 'credential_current', text: `select c.current from ${currentCredential('$3')}` }
const hasCredential = { name: 'credential_any', text: 'select from credential limit 1' }

/** A credential as its studio sees it. Times in seconds since 1970; 0: never. */
export interface CredentialView {
  readonly key: string
  readonly revealed: boolean
  readonly created: number
  readonly rotated: number
  readonly revoked: number
}

interface HeldCredential {
  readonly id: number
  readonly key: string
  /** Its secret was shown. */
  readonly revealed: boolean
}

/** As admins see it; times in seconds since 1970, 0: never. */
export interface ListedCredential extends Pick<Credential, 'key' | 'scopes'> {
  readonly issued: number
  readonly rotated: number
  readonly revoked: number
}

const ofGame = {
  name: 'credentials_of_game',
  text: `select c.key, c.scopes, extract(epoch from c.created)::bigint::float8 as issued,
      coalesce(extract(epoch from c.rotated)::bigint, 0)::float8 as rotated,
      coalesce(extract(epoch from c.revoked)::bigint, 0)::float8 as revoked
    from tenant t left join credential c on c.game = t.game where t.uuid = $1 order by c.id desc`,
}
const seconds = (column: string) => `coalesce(extract(epoch from ${column})::bigint, 0)::float8`
/** A game without a studio: the admin who issued the credential has seen its secret. */
const view = `select k.key, k.revealed is not null or t.studio is null as revealed, ${seconds('k.created')} as created,
  ${seconds('k.rotated')} as rotated, ${seconds('k.revoked')} as revoked`
const newestOf = {
  name: 'credentials_newest',
  text: `select t.uuid as "gameId", k.* from unnest($1::uuid[]) g (id) join tenant t on t.uuid = g.id
    cross join lateral (${view} from credential k where k.game = t.game order by k.id desc limit 1) k`,
}
const viewOf = {
  name: 'credential_view',
  text: `${view} from tenant t join credential k on k.game = t.game and k.revoked is null where t.uuid = $1`,
}
const sandboxKeyOf = {
  name: 'credential_of_sandbox',
  text: `select k.key from tenant t join tenant s on s.sandbox_of = t.game
    join credential k on k.game = s.game and k.revoked is null where t.uuid = $1`,
}

const insertOne = {
  name: 'credential_insert',
  text: 'insert into credential (key, game, secret_hash, authority, scopes) values ($1, $2, $3, $4, $5) returning id',
}

const revoke = {
  name: 'credential_revoke',
  text: 'update credential set revoked = now(), version = version + 1 where key = $1 and revoked is null returning id',
}

const ofTenant = {
  name: 'credential_of_tenant',
  text: `select id, key, revealed is not null as revealed from credential where game = $1 and revoked is null`,
}
const setSecret = {
  name: 'credential_set_secret',
  text: `update credential set secret_hash = $2, version = version + 1,
      rotated = case when revealed is null then rotated else now() end,
      revealed = coalesce(revealed, now())
    where game = $1 and revoked is null`,
}
const endAll = {
  name: 'credentials_end',
  text: `update credential set revoked = now(), version = version + 1
    where revoked is null and game in (select game from tenant where game = $1 or sandbox_of = $1)`,
}
const ofSession = {
  name: 'credential_of_session',
  text: `select c.key, t.uuid as "tenantId" from credential c join tenant t on t.game = c.game
    where c.id = $1 and c.revoked is null and not exists (select from ended_session e where e.id = $2)`,
}
const gameOf = { name: 'tenant_of', text: 'select game from tenant where uuid = $1' }

const lockSetup = { name: 'lock_setup', text: 'select pg_advisory_xact_lock(2026, 0)' }

/** Credentials of games. */
export function credentialStore({ build, run, essential, transaction }: Database) {
  const live = (key: string) => ({ key, revoked: null })
  return {
    find: async (key: string): Promise<Credential | undefined> => (await run<Credential>(byKey, [key]))[0],

    /** Whether the credential is unchanged and the session has not ended. */
    isCurrent: async ({ credential, credentialVersion, session }: Credentialed): Promise<boolean> =>
      (await run<{ current: boolean }>(isCurrent, [credential, credentialVersion, session ?? null]))[0]!.current,

    /** Adds the credential of a game: 'no-game', or 'taken' when the game has one or the key is in use. */
    async add(gameId: string, credential: NewCredential): Promise<'done' | 'no-game' | 'taken'> {
      const [game] = await run<{ game: number }>(gameOf, [gameId])
      if (!game) return 'no-game'
      const { key, secretHash, authority, scopes } = credential
      const row = { key, game: game.game, secret_hash: secretHash, authority, scopes }
      const rows = await build((knex) => knex('credential').insert(row).onConflict().ignore().returning('id'))
      return rows.length === 1 ? 'done' : 'taken'
    },

    /** Replaces the secret of a credential; false when no valid credential has this key. */
    rotate: async (key: string, secretHash: Buffer): Promise<boolean> =>
      (await build((knex) =>
        knex('credential')
          .where(live(key))
          .update({ secret_hash: secretHash, version: knex.raw('version + 1'), rotated: knex.fn.now() }),
      )) === 1,

    /** Every credential of a game, the newest first; undefined when there is no such game. */
    async ofGame(gameId: string): Promise<ListedCredential[] | undefined> {
      const rows = await run<ListedCredential & { key: string | null }>(ofGame, [gameId])
      return rows.length === 0 ? undefined : rows.filter(({ key }) => key !== null)
    },

    /** Changes what the credential may do; false when no valid credential has this key. */
    setScopes: async (key: string, scopes: readonly Scope[]): Promise<boolean> =>
      (await build((knex) =>
        knex('credential')
          .where(live(key))
          .update({ scopes, version: knex.raw('version + 1') }),
      )) === 1,

    /** Revokes the credential; false when no valid credential has this key. */
    revoke: async (key: string): Promise<boolean> => (await essential(revoke, [key])).length === 1,

    /**
     * Where there is no credential at all, runs `addGame` and adds one for that game. Cores that start at the same time
     * wait for each other.
     */
    addFirst: (addGame: (run: Database['run']) => Promise<number>, credential: NewCredential): Promise<void> =>
      transaction(async (run) => {
        if ((await run(hasCredential, [])).length > 0) return
        await run(lockSetup, [])
        if ((await run(hasCredential, [])).length > 0) return
        await insertCredential(run, await addGame(run), credential)
      }),

    /** The newest credential of each of these games, by the game's UUID. */
    newestOf: async (gameIds: readonly string[]): Promise<Map<string, CredentialView>> => {
      const rows = await run<CredentialView & { gameId: string }>(newestOf, [gameIds])
      return new Map(rows.map(({ gameId, ...credential }) => [gameId, credential]))
    },

    /** The game's credential and the key of its sandbox; null: there is none. */
    async view(gameId: string): Promise<{ credential: CredentialView | null; sandboxKey: string | null }> {
      const [credential] = await run<CredentialView & Record<string, unknown>>(viewOf, [gameId])
      const [sandbox] = await run<{ key: string }>(sandboxKeyOf, [gameId])
      return { credential: credential ?? null, sandboxKey: sandbox?.key ?? null }
    },

    /** Both run in the transaction that locks the game. */
    of: credentialOf,
    insert: insertCredential,

    /** Replaces the secret and marks it as shown; the old secret is refused from the commit on. */
    setSecret: async (run: Database['run'], game: number, secretHash: Buffer): Promise<void> =>
      void (await run(setSecret, [game, secretHash])),

    /** Revokes the credentials of a game and of its sandbox. */
    endAll: async (run: Database['run'], game: number): Promise<void> => void (await run(endAll, [game])),
  }
}

/** The game's credential that is not revoked. */
export const credentialOf = async (run: Database['run'], game: number): Promise<HeldCredential | undefined> =>
  (await run<HeldCredential & Record<string, unknown>>(ofTenant, [game]))[0]

/** Adds a credential and returns its id. */
export const insertCredential = async (
  run: Database['run'],
  game: number,
  { key, secretHash, authority, scopes }: NewCredential,
): Promise<number> => (await run<{ id: number }>(insertOne, [key, game, secretHash, authority, scopes]))[0]!.id

/** Key and tenant (UUID) of a session's credential; undefined: it was revoked, or the session has ended. */
export const sessionCredential = async (
  run: Database['run'],
  credential: number,
  session: string,
): Promise<{ key: string; tenantId: string } | undefined> =>
  (await run<{ key: string; tenantId: string }>(ofSession, [credential, session]))[0]
