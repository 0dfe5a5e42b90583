import { batcher, usualWait } from '../../../process/concurrency/batcher.ts'
import { current, currentCredential, isHere, newestOf, newestOfAll } from './current.ts'
import { sql, type Database, arrayOf } from '../../../process/database/database.ts'
import { fields, foundIn, type Found } from './read-pages.ts'
import type { Reader } from './page-parameters.ts'
import { statementOf } from './statement-of.ts'
import type { Watermark } from './watermark.ts'
import type { Key } from '../../xapi/identify.ts'

/** Bodies up to this many bytes are read together with others. */
const small = 64 * 1024

const byIds = sql('statements_by_id')`
  select c.current, w.through, f.stored, case when octet_length(f.body) <= ${small} then f.body end as body, a.n
    from unnest($1::int[], $2::int[], $3::int[], $4::uuid[], $5::boolean[], $6::uuid[], $7::uuid[])
      with ordinality a (credential, version, game, id, voided, actor, session, n)
    cross join lateral ${current('a.credential', 'a.version', 'a.session')}
    cross join lateral (select (${newestOf('a.game')}) as through) w
    left join lateral (
      select * from (${statementOf('a.game', 'a.id')}) s
      where s.voided = a.voided and (a.actor is null or s.actor = a.actor)) f on c.current`
const wanted = 's.voided = $4 and ($5::uuid is null or s.actor = $5)'
const byId = sql('statement_by_id')`select c.current, w.through, s.stored, s.body from ${currentCredential('$6')}
    cross join (select (${newestOf('$7::int')}) as through) w
    left join (${statementOf('$7', '$3::uuid')}) s on c.current and ${wanted}`
const byIdInAll = sql('statement_by_id_in_all')`
  select c.current, w.through, s.stored, s.body from ${currentCredential('$6')}
    cross join (${newestOfAll}) w
    left join lateral (
      select s.stored, s.body from tenant g cross join lateral (${statementOf('g.game', '$3::uuid')}) s
      where g.sandbox_of is null and ${isHere} and ${wanted} order by s.stored limit 1) s on c.current`
const bodiesOf = sql('statement_bodies')`select s.id, s.stored, s.body from unnest($2::uuid[]) a (id)
    cross join lateral (${statementOf('$1', 'a.id')}) s`
const latest = sql('latest_statements')`
  select g.game, m.stored from unnest($1::int[]) g (game) cross join lateral (${newestOf('g.game')}) m`
const latestOfAll = sql('latest_statements_of_all')`
  select g.game, m.stored from tenant g cross join lateral (${newestOf('g.game')}) m
    where ${isHere} and (g.sandbox_of is null or g.game = any ($1))`

interface Wanted {
  readonly game: number
  readonly reader: Reader
  readonly id: string
  readonly voided: boolean
}

/** Index of the field after `fields`: the ordinal of the request. */
const asked = 4

/**
 * Reads statements by their ids; 'stale': the credential has changed since it was looked up. One query reads the
 * statement and the latest position in its game, and checks the credential, all in one snapshot.
 */
export function statementReader(database: Database, watermark: Watermark) {
  async function oneById({ reader, id, voided }: Wanted): Promise<Found | 'stale'> {
    const known = await watermark.read()
    const values = [
      reader.credential,
      reader.credentialVersion,
      id,
      voided,
      reader.actor ?? null,
      reader.session ?? null,
    ]
    return foundIn(
      await (reader.everything ? database.rows(byIdInAll, values) : database.rows(byId, [...values, reader.game])),
      known,
    )
  }

  async function byIdTogether(all: readonly Wanted[]): Promise<(Found | 'stale' | Promise<Found | 'stale'>)[]> {
    if (all.length === 1) return [await oneById(all[0]!)]
    const known = await watermark.read()
    const rows = await database.rows(byIds, [
      arrayOf(all, ({ reader }) => reader.credential),
      arrayOf(all, ({ reader }) => reader.credentialVersion),
      arrayOf(all, ({ game }) => game),
      arrayOf(all, ({ id }) => id),
      arrayOf(all, ({ voided }) => voided),
      arrayOf(all, ({ reader }) => reader.actor ?? 'NULL'),
      arrayOf(all, ({ reader }) => reader.session ?? 'NULL'),
    ])
    const found: (Found | 'stale' | Promise<Found | 'stale'>)[] = []
    for (const row of rows) {
      const index = row.number(asked)! - 1
      const large = row.number(fields.stored) !== null && row.bytes(fields.body) === null
      found[index] = large ? byIdAlone(all[index]!) : foundIn([row], known)
    }
    return found
  }

  const byIdAlone = batcher(byIdTogether, { ...usualWait, maxWeight: 1, concurrency: 2 }).call
  const byIdGathered = batcher(byIdTogether, { ...usualWait, maxWeight: 64, concurrency: 1 }).call

  return {
    /** The statement of this id, voided or not as asked for. Reads of one game that arrive together share a query. */
    byId: (reader: Reader, id: string, voided: boolean): Promise<Found | 'stale'> =>
      (reader.everything ? byIdAlone : byIdGathered)({ game: reader.game, reader, id, voided }),

    /** Statements of a game by their ids, voided or not; missing ones are left out. */
    async bodies(game: number, ids: readonly string[]): Promise<{ id: string; stored: number; body: string }[]> {
      const rows = await database.run<{ id: string; stored: string; body: string }>(bodiesOf, [game, ids])
      return rows.map(({ id, stored, body }) => ({ id, stored: Number(stored), body }))
    },

    /** Position of the last statement of each of these games; with `all`, also of every game that is no sandbox. */
    async latest(games: readonly number[], all: boolean): Promise<Map<number, number>> {
      const rows = await database.run<{ game: number; stored: string }>(all ? latestOfAll : latest, [games])
      return new Map(rows.map(({ game, stored }) => [game, Number(stored)]))
    },
  }
}

const actorsOf = sql('statement_actors')`
  select s.id, replace(s.actor::text, '-', '') as actor from unnest($2::uuid[]) a (id)
    cross join lateral (${statementOf('$1', 'a.id')}) s`

/** Actors of statements. */
export function statementActors({ run }: Pick<Database, 'run'>) {
  return {
    /** Actor by statement id; ids that are not stored are left out. */
    actorsOf: async (game: number, ids: readonly string[]): Promise<Map<string, Key>> => {
      const rows = await run<{ id: string; actor: Key }>(actorsOf, [game, ids])
      return new Map(rows.map(({ id, actor }) => [id, actor]))
    },
  }
}
