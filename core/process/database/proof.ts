import { randomBytes } from 'node:crypto'
import pg, { type Client, type Connection, type QueryResult, type QueryResultRow } from 'pg'
import { isProving, takeProof, tapRows } from './raw-rows.ts'
import { searchPathOf } from './schemas.ts'

/** The session in Postgres is not the one that this connection set up, or has lost its settings. Nothing was done. */
export class Unproven extends Error {
  constructor(cause: Error) {
    super(`the session of a connection is not the one that was set up for it: ${cause.message}`, { cause })
  }
}

const setUp = `select set_config(name, setting, false) from unnest($1::text[], $2::text[]) as s (name, setting)`

/**
 * No row, or an error when the session has other settings. CASE and current_setting keep the planner from making the
 * error by itself.
 */
const proof = {
  name: 'lrs_proof',
  text: `select where case current_setting('search_path') || ' ' || current_setting('games_lrs.cell', true)
      || ' ' || current_setting('games_lrs.connection', true) when $1 then false
    else ('games-lrs: set up for ' || concat_ws(' ', current_setting('search_path'),
      current_setting('games_lrs.cell', true), current_setting('games_lrs.connection', true)))::bool end`,
}

/** The settings that a session must have, and whether it has prepared the proof. */
const proofs = new WeakMap<Connection, { client: Client; expected: string; parsed: boolean }>()

/**
 * Sets up the session of a new connection for a cell. Settings at the start of a connection get lost: `options` in the
 * address replaces ours, and poolers drop it.
 */
export async function setUpFor(
  cell: number,
  client: Client,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  tapRows(client)
  const own: Record<string, string> = {
    search_path: searchPathOf(cell),
    'games_lrs.cell': String(cell),
    // another connection for the same cell may have other time limits, and locks and LISTEN of its own
    'games_lrs.connection': randomBytes(8).toString('hex'),
  }
  const expected = Object.values(own).join(' ')
  proofs.set(client.connection, { client, expected, parsed: false })
  const all = { ...settings, ...own }
  await client.query(setUp, [Object.keys(all), Object.values(all)])
}

/**
 * Runs a query after the proof of its session, in one round trip: up to the Sync of the query Postgres sees one
 * transaction, and ends it when the proof fails. (PostgreSQL, Frontend/Backend Protocol, Extended Query.)
 * @param query its name may be empty: Postgres plans it for this time only
 */
export function askProven<Row extends QueryResultRow>(
  client: Client,
  query: { readonly name: string; readonly text: string },
  values: unknown[],
): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const config = { ...query, values, queryMode: 'extended' }
    client.query(
      new ProvenQuery<Row>(config, undefined, (error, result) => {
        if (!error) resolve(result)
        else reject(error instanceof pg.DatabaseError && isProving(client) ? new Unproven(error) : error)
      }),
    )
  })
}

/** For one transaction: its first query is proven. No pooler changes the session before its end. */
export function askProvenOnce(): typeof askProven {
  let isProven = false
  return (client, query, values) => {
    if (isProven) return client.query({ ...query, values })
    isProven = true
    return askProven(client, query, values)
  }
}

class ProvenQuery<Row extends QueryResultRow> extends pg.Query<Row> {}
const { submit } = pg.Query.prototype
ProvenQuery.prototype.submit = function (this: pg.Query, connection: Connection) {
  const { stream } = connection
  stream.cork()
  try {
    prove(connection)
    return submit.call(this, connection)
  } finally {
    stream.uncork()
  }
}

function prove(connection: Connection): void {
  const own = proofs.get(connection)!
  takeProof(own.client)
  if (!own.parsed) connection.parse({ ...proof, types: [] }, true)
  own.parsed = true
  connection.bind({ statement: proof.name, values: [own.expected] }, true)
  connection.execute({}, true)
}
