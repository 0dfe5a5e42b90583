import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import pg, { type Client, type Connection, type QueryResult, type QueryResultRow } from 'pg'
import { searchPathOf } from './schemas.ts'

/** A row as Postgres sent it: fields in the order of the select. */
export interface RawRow {
  /** The bytes of a field, not copied; null: NULL. */
  bytes(index: number): Buffer | null
  /** A whole number that is not negative, or null. */
  number(index: number): number | null
}

interface Tap {
  /** Where the rows of the current query go; undefined: to node-postgres. */
  rows: RawRow[] | undefined
  /** The answer to a proof has not arrived. */
  proving: boolean
}

const taps = new WeakMap<Client, Tap>()

const dataRow = 'D'.charCodeAt(0)
const commandComplete = 'C'.charCodeAt(0)
/** What Postgres answers to a proof that holds: ParseComplete, BindComplete, CommandComplete. */
const ofProof = new Set(['1'.charCodeAt(0), '2'.charCodeAt(0), commandComplete])
const zero = '0'.charCodeAt(0)
/** Head of a message: 1 byte of type, 4 bytes of length, which do not count the type. */
const headBytes = 5

/**
 * Puts a filter before node-postgres on an idle connection, so that takeRows() can get rows as bytes: node-postgres
 * would make a string of every field and an object of every row, and a page of statements is sent as bytes anyway. It
 * also takes the answer to a proof, which node-postgres did not ask for. All other messages pass unchanged, so a query
 * begins, fails and ends like any other.
 * (PostgreSQL, Frontend/Backend Protocol, Message Formats: DataRow.)
 */
export function tapRows(client: Client): void {
  const stream = client.connection.stream as Socket
  const [parse, ...others] = stream.listeners('data')
  if (parse === undefined || others.length > 0)
    throw new Error('this version of node-postgres does not read its connection as expected')
  const tap: Tap = { rows: undefined, proving: false }
  taps.set(client, tap)
  stream.off('data', parse as () => void).on('data', split(tap, parse as (bytes: Buffer) => void))
}

/** The rows of the query that `work` runs on the connection. */
export async function takeRows(client: Client, work: () => PromiseLike<unknown>): Promise<RawRow[]> {
  const tap = taps.get(client)!
  const rows: RawRow[] = []
  tap.rows = rows
  try {
    await work()
    return rows
  } finally {
    tap.rows = undefined
  }
}

/** Takes the answer to the proof that is sent now. */
export const takeProof = (client: Client): void => void (taps.get(client)!.proving = true)

/** Whether the proof that was sent last has not held: nothing after it was done. */
export const isProving = (client: Client): boolean => taps.get(client)!.proving

/** Splits the stream into messages. Rows for takeRows() and answers to proofs do not reach `parse`. */
function split(tap: Tap, parse: (bytes: Buffer) => void): (chunk: Buffer) => void {
  /** The head of a message that has not arrived in full. */
  let head: Buffer | undefined
  /** A message to be taken, of which only the first `filled` bytes have arrived. */
  let part: Buffer | undefined
  let filled = 0
  /** Bytes of another message that are still to come. */
  let passing = 0

  /** Takes the message that begins there. */
  function take(bytes: Buffer, at: number): void {
    if (!tap.proving) tap.rows?.push(new Row(bytes, at))
    else if (bytes[at] === commandComplete) tap.proving = false
  }

  return (chunk) => {
    if (head !== undefined) chunk = Buffer.concat([head, chunk])
    head = undefined
    /** Start of the bytes that go on to node-postgres. */
    let from = 0
    let at = passing
    if (part !== undefined) {
      at = from = chunk.copy(part, filled)
      filled += at
      if (filled < part.length) return
      take(part, 0)
      part = undefined
    }
    while (chunk.length - at >= headBytes) {
      const length = 1 + chunk.readUInt32BE(at + 1)
      const type = chunk[at]!
      if (tap.proving ? ofProof.has(type) : type === dataRow && tap.rows !== undefined) {
        if (at > from) parse(chunk.subarray(from, at))
        from = at + length
        if (from > chunk.length) {
          part = Buffer.allocUnsafe(length)
          filled = chunk.copy(part, 0, at)
          return
        }
        take(chunk, at)
      }
      at += length
    }
    passing = Math.max(0, at - chunk.length)
    if (at < chunk.length) head = chunk.subarray(at)
    const end = Math.min(at, chunk.length)
    if (end > from) parse(from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end))
  }
}

/** A row in what was read: type, length, number of fields (2 bytes), and each field after its length (4 bytes). */
class Row implements RawRow {
  readonly #chunk: Buffer
  readonly #begin: number

  constructor(chunk: Buffer, begin: number) {
    this.#chunk = chunk
    this.#begin = begin
  }

  bytes(index: number): Buffer | null {
    const start = this.#start(index)
    const length = this.#chunk.readInt32BE(start - 4)
    return length < 0 ? null : this.#chunk.subarray(start, start + length)
  }

  number(index: number): number | null {
    let at = this.#start(index)
    const end = at + this.#chunk.readInt32BE(at - 4)
    if (end < at) return null
    let value = 0
    while (at < end) value = value * 10 + this.#chunk[at++]! - zero
    return value
  }

  #start(index: number): number {
    let at = this.#begin + headBytes + 2
    for (let passed = 0; passed < index; passed++) at += 4 + Math.max(0, this.#chunk.readInt32BE(at))
    return at + 4
  }
}

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

/** What proves the settings that a session must have, and whether it has prepared the proof. */
const proofs = new WeakMap<Connection, { client: Client; bytes: Buffer; parsed: boolean }>()

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
  proofs.set(client.connection, { client, bytes: proofOf(Object.values(own).join(' ')), parsed: false })
  const all = { ...settings, ...own }
  await client.query(setUp, [Object.keys(all), Object.values(all)])
}

/**
 * Runs a query after the proof of its session, in one round trip: up to the Sync of the query Postgres sees one
 * transaction, and ends it when the proof fails. (PostgreSQL, Frontend/Backend Protocol, Extended Query.)
 * @param name may be empty: Postgres plans it for this time only
 */
export function askProven<Row extends QueryResultRow>(
  client: Client,
  { name, text }: { readonly name: string; readonly text: string },
  values: unknown[],
): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const proven = new ProvenQuery<Row>(text, values, (error: Error | undefined, result: QueryResult<Row>) => {
      if (!error) resolve(result)
      else reject(error instanceof pg.DatabaseError && isProving(client) ? new Unproven(error) : error)
    })
    // in one object for the constructor they would be copied with their descriptors, which takes longer than the rest
    client.query(Object.assign(proven, { name, queryMode: 'extended' }))
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

/** A message of the protocol. */
function messageOf(type: string, ...parts: (string | Buffer)[]): Buffer {
  const message = Buffer.concat([`${type}....`, ...parts].map((part) => Buffer.from(part as string)))
  message.writeUInt32BE(message.length - 1, 1)
  return message
}

/** What runs the proof: names of portal and statement, no format, one value after its length, no format. */
function proofOf(expected: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(expected))
  return Buffer.concat([
    messageOf('B', `\0${proof.name}\0\0\0\0\u0001`, length, expected, '\0\0'),
    messageOf('E', '\0'.repeat(5)),
  ])
}

function prove(connection: Connection): void {
  const own = proofs.get(connection)!
  takeProof(own.client)
  if (!own.parsed) {
    connection.parse({ ...proof, types: [] }, true)
    own.parsed = true
  }
  connection.stream.write(own.bytes)
}
