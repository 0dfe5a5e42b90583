import type { Deletion as DeletionMessage } from '../../../gen/lrs/v1/deletions_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { deletions as limits } from '../../../shared/limits.ts'
import { did, done, first, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import { leases, type Leased } from '../../records/store/leases.ts'
import type { StatementPlace } from '../../records/store/cell/expiry-looks.ts'

/** A deletion as its studio sees it. Times are seconds since 1970; 0: not yet. */
export type Deletion = Fields<DeletionMessage>

export interface LeasedDeletion extends Leased {
  readonly deletionId: string
  readonly game: number
  readonly places: readonly string[]
}

export interface NewDeletion {
  /** Of the game, or of its sandbox. */
  readonly game: number
  /** UUID; undefined: the operator. */
  readonly accountId: string | undefined
  readonly reason: string
  /** In the order of the steps. */
  readonly statements: readonly StatementPlace[]
}

const ofGame = 'join game t on t.id = d.game join game g on g.id = coalesce(t.sandbox_of, t.id)'
const add = sql('deletion_add')`insert into deletion (game, account, operator, reason, ids, places, statements)
    select $1, (select id from account where uuid = $2), $2::uuid is null, $3, $4, $5, cardinality($4::uuid[])
    on conflict (game) where ended is null do nothing returning uuid as "deletionId"`
const list = sql('deletion_list')`select d.uuid as "deletionId", t.sandbox_of is not null as sandbox, d.reason,
      coalesce(a.email, case when d.operator then 'operator' else '' end) as by,
      ${seconds('d.created')} as began, ${seconds('d.ended')} as ended, d.statements,
      coalesce((
        select json_agg(json_build_object('forwardId', f.uuid, 'name', f.name, 'endpoint', f.endpoint,
          'statements', e.statements) order by f.id) from forward_erasure e join forward f on f.id = e.forward
        where e.deletion = d.id), '[]') as forwarded
    from deletion d ${ofGame} left join account a on a.id = d.account
    where g.uuid = $1 order by d.id desc limit ${limits.receipts}`
const idsOf = sql('deletion_ids')`select g.uuid as "gameId", coalesce(f.pseudonyms, false) as pseudonyms, array(
      select n.id::text from unnest(d.ids, d.places) n (id, stored) where n.stored > coalesce(f.began, 0)
      order by n.stored) as ids
    from deletion d ${ofGame} left join forward f on f.uuid = $3
    where d.uuid = $1 and ($2::int is null or g.studio = $2) and ($3::uuid is null or exists (
      select from forward_erasure e where e.deletion = d.id and e.forward = f.id))`
const leased = leases('deletion', { open: 'ended is null' })
const lease = sql('deletion_lease')`${leased.take({ due: 't.ended is null', order: 't.id' })}
    returning id, attempts, uuid as "deletionId", game, places`
const end = sql('deletion_end')`
  update deletion set ended = now(), leased = null, statements = $3 where ${leased.isOpen} returning 1`
const sweep = sql('deletion_sweep')`delete from deletion where ended < now() - make_interval(months => $1)`

/** Deletions of statements. One core at a time works on one, as long as it shows that it lives. */
export const deletionStore = ({ run }: Pick<Database, 'run'>) => ({
  /** Returns its id; undefined: another one of the same game is under way. */
  add: async ({ game, accountId, reason, statements }: NewDeletion): Promise<string | undefined> => {
    const [ids, places] = [statements.map(({ id }) => id), statements.map(({ stored }) => stored)]
    return (await run<{ deletionId: string }>(add, [game, accountId ?? null, reason, ids, places]))[0]?.deletionId
  },
  /** Those of a game and of its sandbox, the newest first. */
  list: (gameId: string) => run<Deletion>(list, [gameId]),
  /**
   * The ids that it has removed, or those that a forward may have sent; undefined: there is no such deletion, or the
   * forward has sent nothing.
   * @param studio must own the game; undefined: any game
   */
  ids: (deletionId: string, studio: number | undefined, forwardId: string | undefined) =>
    first(
      run<{ gameId: string; pseudonyms: boolean; ids: string[] }>(idsOf, [
        deletionId,
        studio ?? null,
        forwardId ?? null,
      ]),
    ),
  /** Takes the oldest one that nobody works on. */
  lease: (seconds: number) => first(run<LeasedDeletion>(lease, [seconds])),
  ...leased.on(run),
  /** Ends it, in a transaction; false: another core has it. */
  end: (on: Run, { id, attempts }: Leased, statements: number) => did(on(end, [id, attempts, statements])),
  /** Forgets those that ended `months` months ago or earlier. */
  sweep: (months: number) => done(run(sweep, [months])),
})
