import type { Export } from '../../../gen/lrs/v1/exports_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { StatementFilter } from '../../../shared/statement-filters.ts'
import { did, first, sql, type Database } from '../../process/database/database.ts'
import { leasedFor, leases, type Leased } from '../../records/store/leases.ts'

/** An export as its studio sees it. Times are seconds since 1970; 0: not yet. */
export interface ExportJob extends Omit<Fields<Export>, 'filters' | 'form' | 'state' | 'keptUntil' | 'keys'> {
  readonly filters: StatementFilter
  readonly form: Readonly<Record<string, unknown>>
  /** The attempt that wrote each part, one after the other. */
  readonly parts: readonly number[]
  readonly cancelled: boolean
  /** A core has begun. */
  readonly begun: boolean
}

/** An export that this core works on. */
export interface LeasedExport extends ExportJob, Leased {
  readonly studio: number
  readonly account: number | null
  readonly gameName: string
  readonly slug: string
  /** Sealed; null: it needs none. */
  readonly pseudonymKey: Buffer | null
  /** Microseconds; null: nothing is written. */
  readonly place: number | null
}

export type NewExport = Pick<ExportJob, 'exportId' | 'gameId' | 'sandbox' | 'filters' | 'form'> & {
  readonly studio: number
  /** UUID. */
  readonly accountId: string
  readonly pseudonymKey: Buffer | null
}

const view = `j.uuid as "exportId", g.uuid as "gameId", j.sandbox, j.filters, j.form,
  extract(epoch from j.created)::bigint::float8 as created, j.statements::float8, j.bytes::float8, j.parts,
  coalesce(extract(epoch from j.ended)::bigint, 0)::float8 as ended, j.problem, j.cancelled is not null as cancelled,
  j.attempts > 0 as begun`
const from = 'export_job j join game g on g.id = j.game'

// the lock: two that are asked for at once are counted one after the other
const lock = sql('export_job_lock')`select 1 from studio where id = $1 for update`
const count = sql('export_job_count')`select count(*)::int as open from export_job where studio = $1 and ended is null`
const add = sql('export_job_add')`
  insert into export_job (uuid, game, studio, account, sandbox, filters, form, pseudonym_key)
    select $1, g.id, $3, (select id from account where uuid = $4), $5, $6::jsonb, $7::jsonb, $8
    from game g where g.uuid = $2`
const list = sql('export_job_list')`
  select ${view} from ${from} where g.uuid = $1 and j.studio = $2 order by j.id desc limit $3`
const find = sql('export_job_find')`select ${view} from ${from} where j.uuid = $1 and j.studio = $2`
const leased = leases('export_job', { open: 'ended is null' })
const lease = sql('export_job_lease')`
  with taken as (${leased.take({ due: 't.ended is null', order: 't.id' })} returning *)
    select ${view}, j.id, j.studio, j.account, g.name as "gameName", coalesce(g.slug, '') as slug,
      j.pseudonym_key as "pseudonymKey", j.place::float8 as place, j.attempts
    from taken j join game g on g.id = j.game`
const reach = sql('export_job_reach')`update export_job set ${leasedFor('$3')}, place = $4, statements = $5, bytes = $6,
      parts = $7, ended = case when $8 then now() end, pseudonym_key = case when not $8 then pseudonym_key end
    where ${leased.isOpen} returning 1`
const end = sql('export_job_end')`
  update export_job set ended = now(), problem = $3, pseudonym_key = null where ${leased.isOpen} returning 1`
const cancel = sql('export_job_cancel')`
  update export_job set ended = coalesce(ended, now()), cancelled = now(), pseudonym_key = null
    where uuid = $1 and studio = $2 and cancelled is null returning 1`
const sweep = sql('export_job_sweep')`delete from export_job where id = any (array(select id from export_job
      where ended < now() - make_interval(days => $1) order by ended limit $2)) returning 1`

/**
 * Files of statements that are made beside calls. One core at a time works on one, as long as it shows that it lives.
 */
export function exportJobStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Adds one; false: the studio has `most` open ones already. */
    add: ({ exportId, gameId, studio, accountId, sandbox, filters, form, pseudonymKey }: NewExport, most: number) =>
      transaction(async (run) => {
        await run(lock, [studio])
        const [counted] = await run<{ open: number }>(count, [studio])
        if (counted!.open >= most) return false
        const texts = [JSON.stringify(filters), JSON.stringify(form)]
        await run(add, [exportId, gameId, studio, accountId, sandbox, ...texts, pseudonymKey])
        return true
      }),
    /** Those of a game, the newest first. */
    list: (gameId: string, studio: number, most: number) => run<ExportJob>(list, [gameId, studio, most]),
    find: (exportId: string, studio: number) => first(run<ExportJob>(find, [exportId, studio])),
    /** Takes the oldest one that nobody works on. */
    lease: (seconds: number) => first(run<LeasedExport>(lease, [seconds])),
    ...leased.on(run),
    /** Notes what is written; false: as above. @param isLast the file is whole: nobody goes on after its end */
    reach: (
      { id, attempts }: Leased,
      seconds: number,
      {
        place,
        statements,
        bytes,
        parts,
      }: { place: number; statements: number; bytes: number; parts: readonly number[] },
      isLast = false,
    ) => did(run(reach, [id, attempts, seconds, place, statements, bytes, parts, isLast])),
    /** @param problem why it failed */
    end: ({ id, attempts }: Leased, problem: string) => did(run(end, [id, attempts, problem])),
    /** False: there is no such one. */
    cancel: (exportId: string, studio: number) => did(run(cancel, [exportId, studio])),
    /** Forgets those that ended `days` days ago or earlier. */
    sweep: async (days: number, limit: number): Promise<number> => (await run(sweep, [days, limit])).length,
  }
}
