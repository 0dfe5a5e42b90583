import pg from 'pg'
import { optionsOf, planning } from '../../core/process/database/planning.ts'
import { tapRows, takeRows } from '../../core/process/database/wire.ts'
import type { Database, Prepared } from '../../core/process/database/database.ts'

/** What Postgres did for one SQL statement, including the functions that it called. */
export interface Cost {
  /** Name of the prepared statement. */
  name: string
  /** Blocks of tables and indexes that it fetched, from memory or from disk. */
  blocks: number
  /** Rows of the answer. */
  rows: number
  /** Rows that were read by scans of whole tables, by table. */
  scanned: Record<string, number>
}

/** Counters of all relations. */
interface Counted {
  blocks: string[]
  read: string[]
}

export interface CountingDatabase {
  database: Database
  /** Runs `work` in a transaction that is rolled back; the cost of each statement that it sends. */
  costs(work: () => Promise<unknown>): Promise<Cost[]>
  close(): Promise<void>
}

/** Tables, indexes and TOAST tables. */
const relations = `with own as (
    select oid, relname as name, relkind, reltoastrelid from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i'))
  select oid, name, relkind = 'r' as "isTable" from own
  union all select o.reltoastrelid, o.name, false from own o where o.reltoastrelid <> 0
  union all select i.indexrelid, o.name, false from own o join pg_index i on i.indrelid = o.reltoastrelid`
/** Their counters, which include the work inside functions. */
const counters = {
  name: 'counters',
  text: `select array_agg(pg_stat_get_xact_blocks_fetched(o)) as blocks,
      array_agg(pg_stat_get_xact_tuples_returned(o)) as read
    from unnest($1::oid[]) o`,
}

/** A database that counts. It has one connection, with the settings of core. */
export async function countingDatabase(url: string, planCacheMode: string): Promise<CountingDatabase> {
  const client = new pg.Client({
    connectionString: url,
    options: optionsOf({ ...planning, plan_cache_mode: planCacheMode }),
  })
  client.on('error', () => {})
  await client.connect()
  tapRows(client)
  let costs: Cost[] = []
  let last: Counted

  const known: { oid: number; name: string; isTable: boolean }[] = (await client.query(relations)).rows
  const look = async (): Promise<Counted> =>
    (await client.query({ ...counters, values: [known.map(({ oid }) => oid)] })).rows[0]

  async function counted<T extends readonly unknown[]>({ name }: Prepared, work: () => Promise<T>): Promise<T> {
    const result = await work()
    const after = await look()
    const before = last
    last = after
    const cost: Cost = { name, blocks: 0, rows: result.length, scanned: {} }
    for (const [index, { name: table, isTable }] of known.entries()) {
      cost.blocks += Number(after.blocks[index]) - Number(before.blocks[index])
      const read = Number(after.read[index]) - Number(before.read[index])
      if (isTable && read > 0) cost.scanned[table] = read
    }
    costs.push(cost)
    return result
  }

  // there is one connection: queries that the store sends at the same time run one after the other
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work)
    turn = mine.catch(() => {})
    return mine
  }
  const run: Database['run'] = (query, values) =>
    inTurn(() => counted(query, async () => (await client.query({ ...query, values })).rows))
  const database = {
    run,
    rows: (query, values) =>
      inTurn(() => counted(query, () => takeRows(client, () => client.query({ ...query, values })))),
    transaction: (work) => work(run),
    snapshot: (work) => work(run),
  } as Partial<Database> as Database
  return {
    database,
    async costs(work) {
      costs = []
      await client.query('begin')
      last = await look()
      try {
        await work()
      } finally {
        await client.query('rollback')
      }
      return costs
    },
    close: () => client.end(),
  }
}
