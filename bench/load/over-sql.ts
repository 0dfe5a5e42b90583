import { Client } from 'pg'
import { optionsOf, planning } from '../../core/process/database/planning.ts'
import { prepareBatch } from '../fill.ts'
import { bodiesOf } from '../../core/records/xapi/prepare.ts'
import { shapeOf } from '../shapes/shapes.ts'
import { copyInto } from './copy.ts'
import type { Query, QueryJob, Settings, WriteJob } from './job.ts'
import { measure, type Round } from './measure.ts'
import { recordWrite } from './record.ts'

type Bounded = { clients: number; ms: number }
type Prepared = ReturnType<typeof prepareBatch>

const perMs = { one: 12, many: 45 }

/** The floor of reading: SQL through `pg` alone. */
export async function query({ url, clients, ms, queries, settings = planning }: QueryJob & Bounded): Promise<Round> {
  return withClients(url, clients, settings, async (connections) => {
    const one = async (connection: Client, { name, text, values, rows = 1 }: Query) => {
      const found = (await connection.query({ name, text, values })).rows.filter(({ stored }) => stored !== null)
      if (found.length !== rows) throw new Error(`${found.length} rows instead of ${rows} from ${text}`)
    }
    // so that all have planned before the time starts
    await Promise.all(connections.map((connection, client) => one(connection, queries[client % queries.length]!)))
    let next = 0
    return measure(clients, ms, async (client) => {
      await one(connections[client]!, queries[next++ % queries.length]!)
      return 1
    })
  })
}

/** The floor of writing: the same rows into the same tables, all prepared before the time starts. */
export async function write({
  url,
  clients,
  ms,
  way,
  batch,
  shape,
  seed,
  credentials,
}: WriteJob & Bounded): Promise<Round> {
  const source = shapeOf(shape).traffic(seed)
  const wanted = Math.ceil((ms * (batch === 1 ? perMs.one : perMs.many)) / batch)
  const batches = Array.from({ length: wanted }, () => {
    const statements = Array.from({ length: batch }, () => source.next())
    return prepareBatch(
      statements.map(({ json }) => json),
      credentials[statements[0]!.game]!,
    )
  })
  return withClients(url, clients, planning, async (connections) => {
    const first = await reserve(connections[0]!, wanted * batch)
    const calls = await Promise.all(batches.map((one, index) => callOf(way, one, first + index * batch)))
    let next = 0
    return measure(clients, ms, async (client) => {
      const call = calls[next++]
      if (!call) return undefined
      await call(connections[client]!)
      return batch
    })
  })
}

/** Takes `count` places in the order for rows that bring their own. Answers the first. */
async function reserve(client: Client, count: number): Promise<number> {
  const { rows } = await client.query(
    `select setval('statement_order', greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, last_value) + $1::int) as last from statement_order`,
    [count],
  )
  return Number(rows[0].last) - count + 1
}

async function callOf(
  way: WriteJob['way'],
  batch: Prepared,
  first: number,
): Promise<(client: Client) => Promise<void>> {
  switch (way) {
    case 'function': {
      const query = await recordWrite(batch)
      return async (client) => expectRows((await client.query(query)).rows[0].inserted.length, batch)
    }
    case 'copy': {
      const data = copyData(batch, first)
      return (client) => copyInto(client, copy, data)
    }
    case 'insert': {
      const values = rowsOf(batch, first)[0]!
      return async (client) => expectRows((await client.query({ ...insert, values })).rows[0].count, batch)
    }
  }
}

function expectRows(count: number | string, { prepared }: Prepared): void {
  if (Number(count) !== prepared.statements.length)
    throw new Error(`${count} rows were written instead of ${prepared.statements.length}`)
}

const columns = 'stored, game, credential, id, actor, verb, activity, registration, target, voids, voided, terms, body'
const copy = `copy statement (${columns}) from stdin; copy posting (stored, target, game, term) from stdin`

/** One statement with its postings. */
const insert = {
  name: 'insert_one',
  text: `with s as (
      insert into statement (${columns})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning stored, game),
    p as (insert into posting (stored, target, game, term) select s.stored, s.stored, s.game, t from s, unnest($12::uuid[]) t)
    select count(*)::int as count from s`,
}

function rowsOf({ prepared, credential, game }: Prepared, first: number): (string | number | boolean | null)[][] {
  const bodies = bodiesOf(prepared)
  return prepared.statements.map(({ id, actor, verb, activity, registration, target, voids, terms }, index) => [
    first + index,
    game,
    credential,
    id,
    actor,
    verb,
    activity ?? null,
    registration ?? null,
    target ?? null,
    voids,
    false,
    terms.length > 0 ? `{${terms.join(',')}}` : null,
    bodies[index]!,
  ])
}

/** COPY's text format for both tables. */
function copyData(batch: Prepared, first: number): Buffer[] {
  const cell = (value: string | number | boolean | null) => {
    if (value === null) return '\\N'
    return typeof value === 'string'
      ? value.replace(/[\\\n\r\t]/g, (char) => `\\${char === '\\' ? '\\' : { '\n': 'n', '\r': 'r', '\t': 't' }[char]}`)
      : value
  }
  const statements = rowsOf(batch, first).map((row) => `${row.map(cell).join('\t')}\n`)
  const postings = batch.prepared.statements.flatMap(({ terms }, index) =>
    terms.map((term) => `${first + index}\t${first + index}\t${batch.game}\t${term}\n`),
  )
  return [Buffer.from(statements.join('')), Buffer.from(postings.join(''))]
}

async function withClients<T>(
  url: string,
  count: number,
  settings: Settings,
  work: (clients: Client[]) => Promise<T>,
): Promise<T> {
  const clients = Array.from(
    { length: count },
    () => new Client({ connectionString: url, application_name: 'bench', options: optionsOf(settings) }),
  )
  try {
    await Promise.all(clients.map((client) => client.connect()))
    return await work(clients)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
