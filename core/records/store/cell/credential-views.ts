import type { GameCredential } from '../../../../gen/lrs/v1/games_pb.js'
import type { Fields } from '../../../process/methods/answer.ts'
import { seconds, sql, type Database } from '../../../process/database/database.ts'
import type { Credential } from './credentials.ts'

/** A credential as its studio sees it. Times in seconds since 1970; 0: never. */
export type CredentialView = Fields<GameCredential>

/** As admins see it; times in seconds since 1970, 0: never. */
export interface ListedCredential extends Pick<Credential, 'key' | 'scopes'> {
  readonly issued: number
  readonly rotated: number
  readonly revoked: number
}

const ofGame = sql('credentials_of_game')`
  select c.key, c.scopes, extract(epoch from c.created)::bigint::float8 as issued,
      coalesce(extract(epoch from c.rotated)::bigint, 0)::float8 as rotated,
      coalesce(extract(epoch from c.revoked)::bigint, 0)::float8 as revoked
    from tenant t left join credential c on c.game = t.game where t.uuid = $1 order by c.id desc`
/** A game without a studio: the admin who issued the credential has seen its secret. */
const view = `select k.key, k.revealed is not null or t.studio is null as revealed, ${seconds('k.created')} as created,
  ${seconds('k.rotated')} as rotated, ${seconds('k.revoked')} as revoked`
const newestCredentials = sql('credentials_newest')`
  select t.uuid as "gameId", k.* from unnest($1::uuid[]) g (id) join tenant t on t.uuid = g.id
    cross join lateral (${view} from credential k where k.game = t.game order by k.id desc limit 1) k`
const viewOf = sql('credential_view')`
  ${view} from tenant t join credential k on k.game = t.game and k.revoked is null where t.uuid = $1`
const sandboxKeyOf = sql('credential_of_sandbox')`select k.key from tenant t join tenant s on s.sandbox_of = t.game
    join credential k on k.game = s.game and k.revoked is null where t.uuid = $1`
const tenantsOf = sql('tenants_of')`select t.game, (select s.game from tenant s where s.sandbox_of = t.game) as sandbox
    from tenant t where t.uuid = $1`

/** What the store knows of a game beside what its studio entered. */
export interface HeldOfGame {
  readonly credential: CredentialView | null
  readonly sandboxKey: string | null
  /** It has sent a statement, from players or from the sandbox. */
  readonly reported: boolean
  /** Players have sent a statement. */
  readonly played: boolean
}

/** Credentials as studios and admins see them. */
export function credentialViews({ run }: Database) {
  return {
    /** Every credential of a game, the newest first; undefined when there is no such game. */
    async ofGame(gameId: string): Promise<ListedCredential[] | undefined> {
      const rows = await run<ListedCredential & { key: string | null }>(ofGame, [gameId])
      return rows.length === 0 ? undefined : rows.filter(({ key }) => key !== null)
    },

    /** The newest credential of each of these games, by the game's UUID. */
    newestOf: async (gameIds: readonly string[]): Promise<Map<string, CredentialView>> => {
      const rows = await run<CredentialView & { gameId: string }>(newestCredentials, [gameIds])
      return new Map(rows.map(({ gameId, ...credential }) => [gameId, credential]))
    },

    /** The game's credential and the key of its sandbox, and the numbers of both; null: there is none. */
    async view(gameId: string): Promise<Pick<HeldOfGame, 'credential' | 'sandboxKey'> & { tenants: Tenants }> {
      const [credential] = await run<CredentialView>(viewOf, [gameId])
      const [sandbox] = await run<{ key: string }>(sandboxKeyOf, [gameId])
      const [tenants] = await run<Tenants>(tenantsOf, [gameId])
      return {
        credential: credential ?? null,
        sandboxKey: sandbox?.key ?? null,
        tenants: tenants ?? { game: null, sandbox: null },
      }
    },
  }
}

interface Tenants {
  readonly game: number | null
  readonly sandbox: number | null
}
