import { done, first, sql, type Run } from '../../../process/database/database.ts'

/**
 * What a cell on another server knows of a game: its rows of `tenant` and `credential`, without secrets. A row of an
 * older version never replaces one of a newer version, so it does not matter who brings it, and when.
 */
export interface Copy extends Record<string, unknown> {
  readonly game: number
  /** JSON. */
  readonly tenant: string
  /** JSON. */
  readonly credentials: string
  /** The game is being moved, and these rows may change at any moment. */
  readonly settling: boolean
}

const read = sql('copy_read')`select t.game, to_jsonb(t)::text as tenant, coalesce((
        -- by id: the only one that is not revoked is the last
        select jsonb_agg(to_jsonb(c) || '{"secret_hash": "\\\\x"}' order by c.id)
        from credential c where c.game = t.game
      ), '[]')::text as credentials,
      exists (select from moving m where m.game = t.game and m.settling) as settling
    from tenant t where t.game = $1`
const tenantColumns = ['studio', 'sandbox_of', 'zone', 'start', 'cut', 'cell', 'version']
const credentialColumns = ['authority', 'scopes', 'version', 'rotated', 'revoked', 'revealed']
const replaced = (columns: readonly string[]) => columns.map((name) => `${name} = excluded.${name}`).join(', ')
const writeTenant = sql('copy_write_tenant')`
  insert into tenant select * from jsonb_populate_record(null::tenant, $1::jsonb)
    on conflict (game) do update set ${replaced(tenantColumns)} where excluded.version > tenant.version`
const writeCredentials = sql('copy_write_credentials')`insert into credential overriding system value
      select * from jsonb_populate_recordset(null::credential, $1::jsonb)
    on conflict (id) do update set ${replaced(credentialColumns)} where excluded.version > credential.version`

/** What has expired is known where the statements are, and the directory's rows of credentials do not say so. */
const writeExpires = sql('copy_write_expires')`update credential set expires = true where game = $1 and not expires
    and exists (select from expired_statement e where e.game = $1)`

/** Has writers of the game look for ids that have expired, if there are any. */
export const markExpiring = (run: Run, game: number) => done(run(writeExpires, [game]))

/** The rows as they are; undefined: there is no such game. */
export const copyOf = (run: Run, game: number) => first(run<Copy>(read, [game]))

/** Brings the rows to another server. */
export async function writeCopy(run: Run, { game, tenant, credentials }: Copy): Promise<void> {
  await run(writeTenant, [tenant])
  await run(writeCredentials, [credentials])
  await markExpiring(run, game)
}
