import { arrayOf, did, first, scalar, sql, type Database, type Run } from '../../../process/database/database.ts'
import { current, currentCredential } from './current.ts'
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
  /** Or its studio is suspended. */
  readonly revoked: boolean
  /** The game is the tenant of another game's sandbox. */
  readonly sandbox: boolean
  /** UUID of that other game; null: it is no sandbox. */
  readonly tried: string | null
  /** Number of the cell that has the game's statements. */
  readonly cell: number
}

export type NewCredential = Pick<Credential, 'key' | 'secretHash' | 'authority' | 'scopes'>

const byKey = sql('credential_by_key')`
  select c.id, c.key, c.game, t.uuid as "gameId", c.secret_hash as "secretHash", c.authority, c.scopes,
      c.version, c.revoked is not null or exists (
        select from suspended_studio x where x.studio = t.studio offset 0) as revoked,
      t.sandbox_of is not null as sandbox, (select o.uuid from tenant o where o.game = t.sandbox_of) as tried,
      t.studio, t.cell
    from credential c join tenant t on t.game = c.game where c.key = $1`

const isCurrent = sql('credential_current')`select c.current from ${currentCredential('$3')}`
const allCurrent = sql('credentials_current')`select c.current, a.n from unnest($1::int[], $2::int[], $3::uuid[])
      with ordinality a (credential, version, session, n)
    cross join lateral ${current('a.credential', 'a.version', 'a.session')}`
const hasCredential = sql('credential_any')`select from credential limit 1`

// a game with expired statements has them for each of its credentials
const insert = sql('credential_insert')`
  insert into credential (key, game, secret_hash, authority, scopes, expires) values ($1, $2, $3, $4, $5,
      coalesce((select bool_or(c.expires) from credential c where c.game = $2), false))
    on conflict do nothing returning id`

const change = (name: string, set: string) => sql(`credential_${name}`)`
  update credential set ${set}, version = version + 1 where key = $1 and revoked is null returning id`
const rotate = change('rotate', 'secret_hash = $2, rotated = now()')
const setScopes = change('scopes', 'scopes = $2')
const revoke = change('revoke', 'revoked = now()')

const gameOf = sql('tenant_of')`select game from tenant where uuid = $1`

const lockSetup = sql('lock_setup')`select pg_advisory_xact_lock(2026, 0)`

/** Credentials of games. */
export function credentialStore({ run, essential, transaction }: Database) {
  return {
    find: (key: string) => first(run<Credential>(byKey, [key])),

    /** Whether the credential is unchanged and the session has not ended. */
    isCurrent: ({ credential, credentialVersion, session }: Credentialed) =>
      scalar<boolean>(run(isCurrent, [credential, credentialVersion, session ?? null])),

    /** Adds the credential of a game: 'no-game', or 'taken' when the game has one or the key is in use. */
    async add(gameId: string, credential: NewCredential): Promise<'done' | 'no-game' | 'taken'> {
      const [game] = await run<{ game: number }>(gameOf, [gameId])
      if (!game) return 'no-game'
      return (await insertCredential(run, game.game, credential)) === undefined ? 'taken' : 'done'
    },

    /** Replaces the secret of a credential; false when no valid credential has this key. */
    rotate: (key: string, secretHash: Buffer) => did(run(rotate, [key, secretHash])),

    /** Changes what the credential may do; false when no valid credential has this key. */
    setScopes: (key: string, scopes: readonly Scope[]) => did(run(setScopes, [key, scopes])),

    /** Revokes the credential; false when no valid credential has this key. */
    revoke: (key: string) => did(essential(revoke, [key])),

    /**
     * Where there is no credential at all, runs `addGame` and adds one for that game. Cores that start at the same time
     * wait for each other.
     */
    addFirst: (addGame: (run: Run) => Promise<number>, credential: NewCredential): Promise<void> =>
      transaction(async (run) => {
        if ((await run(hasCredential, [])).length > 0) return
        await run(lockSetup, [])
        if ((await run(hasCredential, [])).length > 0) return
        await insertCredential(run, await addGame(run), credential)
      }),
  }
}

/** Whether each of these credentials is unchanged and its session has not ended. */
export async function areCurrent(run: Run, all: readonly Credentialed[]): Promise<boolean[]> {
  const rows = await run<{ current: boolean; n: string }>(allCurrent, [
    arrayOf(all, ({ credential }) => credential),
    arrayOf(all, ({ credentialVersion }) => credentialVersion),
    arrayOf(all, ({ session }) => session ?? 'NULL'),
  ])
  const found: boolean[] = []
  for (const { current, n } of rows) found[Number(n) - 1] = current
  return found
}

/** Adds a credential and returns its id; undefined: the game has one, or the key is in use. */
export const insertCredential = (run: Run, game: number, { key, secretHash, authority, scopes }: NewCredential) =>
  scalar<number | undefined>(run(insert, [key, game, secretHash, authority, scopes]))
