import { randomBytes } from 'node:crypto'
import knexModule, { type Knex } from 'knex'
import type { Client } from 'pg'
import type { Outage } from '../outage.ts'
import { isAway, Refusal } from '../refusal.ts'
import { connectionWatchdog } from './connection-watchdog.ts'
import { hostsOf, type Hosts } from './hosts.ts'
import { planning, reliedOn } from './planning.ts'
import { endsConnection, isReadOnly, isRefusedWrite, isUnproven, mayRunAgain, storeFailure } from './store-failure.ts'
import { askProven, askProvenOnce, setUpFor, takeRows, type RawRow } from './wire.ts'
import { within } from '../../../shared/tracing/trace.ts'

export interface DatabaseOptions {
  readonly url: string
  /** Connections that one core process may hold, in each cell. */
  readonly connections: number
  /** Milliseconds that a call waits for a connection, a lock, or a silent database, before it is refused. */
  readonly wait: number
  /** Milliseconds after which Postgres ends a query of ours. */
  readonly statementTimeout: number
  /** Number of the cell that the connections work for; default 1. */
  readonly cell?: number
  /** Hears of connections that broke or were given up, and of calls that could not reach the database. */
  readonly outage?: Outage
  /** Gets the seconds that each call waited for a connection. */
  readonly waits?: { observe(seconds: number): void }
  /** Refuses a new connection by throwing; default: each is taken. */
  readonly accept?: (connection: Client) => Promise<void>
}

/**
 * A query that Postgres plans once for each connection. The name stands for the text: one text, one name. Without a
 * name it is planned each time.
 */
export interface Prepared {
  readonly name: string
  readonly text: string
}

/** Declares a query; what is put into its text is SQL, never a value: sql('game_find')`select … where id = $1`. */
export const sql =
  (name: string) =>
  (text: TemplateStringsArray, ...parts: readonly (string | number)[]): Prepared => ({
    name,
    text: String.raw({ raw: text }, ...parts).trimStart(),
  })

/** SQL: a time in seconds since 1970; 0: none. */
export const seconds = (time: string) => `coalesce(extract(epoch from ${time})::bigint, 0)::float8`

/** The first row; undefined: none. */
export const first = async <Row>(rows: Promise<readonly Row[]>): Promise<Row | undefined> => (await rows)[0]
/** The row of a query that always has one. */
export const only = async <Row>(rows: Promise<readonly Row[]>): Promise<Row> => (await rows)[0]!
/** The first column of that row. */
export const scalar = async <Value>(rows: Promise<readonly object[]>): Promise<Value> =>
  Object.values((await rows)[0] ?? {})[0] as Value
/** The first column of all rows. */
export const column = async <Value>(rows: Promise<readonly object[]>): Promise<Value[]> =>
  (await rows).map((row) => Object.values(row)[0] as Value)
/** Whether there is a row. */
export const did = async (rows: Promise<readonly unknown[]>): Promise<boolean> => (await rows).length > 0
/** For queries whose rows nobody needs. */
export const done = async (rows: Promise<readonly unknown[]>): Promise<void> => void (await rows)

/** Runs one query: of Database, or of a transaction. */
export type Run = Database['run']

/** Each query that is no part of a transaction proves its cell in the same round trip, and so does each transaction. */
export interface Database {
  /** Its queries prove nothing: for migrations. */
  readonly knex: Knex
  /** Runs one prepared query in one round trip. Failures of Postgres become Refusals, see store-failure.ts. */
  run<Row = Record<string, unknown>>(query: Prepared, values: unknown[]): Promise<Row[]>
  /** The same for essential writes, which also run on a nearly full disk (start/postgres/keep-space.ts). */
  essential: Database['run']
  /** The same, with the rows as the bytes that Postgres sends. */
  rows(query: Prepared, values: unknown[]): Promise<RawRow[]>
  /**
   * Runs `work` in one transaction on one connection; again after a deadlock or serialisation failure.
   * @param longest milliseconds that its queries may take, when it sets another statement_timeout
   */
  transaction<T>(work: (run: Database['run']) => Promise<T>, longest?: number): Promise<T>
  /** Reads in one transaction, which sees what was committed before its first query. */
  snapshot: Database['transaction']
  /** @throws Error in words for operators, when a pooler gives the session of one connection to another */
  ownSessions(): Promise<void>
  /**
   * Connections in use and idle, calls that wait for one, connections that broke since the start, and calls that were
   * refused because a connection had lost its settings.
   */
  pool(): { limit: number; used: number; free: number; waiting: number; broken: number; unproven: number }
  close(): Promise<void>
}

/** Unique to this process: after a failover the process ids of connections belong to others. */
const applicationName = `games-lrs core ${randomBytes(4).toString('hex')}`
const inTraces = { 'db.system.name': 'postgresql' }

/** No transaction may write on a standby or on a full disk. */
const mayWrite = sql('may_write')`
  select not pg_is_in_recovery() and coalesce(current_setting('games_lrs.disk_full', true), '') <> 'on' as may`
const recovery = 'select pg_is_in_recovery() as standby'
const nothing = sql('nothing')`select`
const sharedSessions =
  'The address of the database leads to a pooler that gives the session of one connection to another: ' +
  'let it keep sessions (PgBouncer: pool_mode = session), or name Postgres itself.'

/** Attempts of a transaction that a deadlock or serialisation failure ended. */
const attempts = 3

export function openDatabase(options: DatabaseOptions): Database {
  let broken = 0
  let unproven = 0
  const hosts = hostsOf(options.url)
  const knex = knexModule({
    client: 'pg',
    connection: {
      connectionString: hosts.current,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: options.wait,
    },
    pool: {
      min: 0,
      max: options.connections,
      propagateCreateError: true,
      afterCreate: (connection: Client, done: (error: unknown, connection: Client) => void) =>
        void setUpConnection(connection).then(
          () => done(undefined, connection),
          (error) => {
            connection.connection.stream.destroy()
            done(error, connection)
          },
        ),
    },
    acquireConnectionTimeout: options.wait,
    log: {
      warn: (message: unknown) => {
        broken++
        options.outage?.failed(firstLine(message))
      },
    },
  })

  if (!hosts.isOne) followPrimary(knex, hosts)

  /** Calls that wait for a connection: they fail at once when the database is found not to answer. */
  const acquiring = new Set<(failure: unknown) => void>()

  function raise(error: unknown, onStandby = false): unknown {
    const failure = storeFailure(error, onStandby)
    if (isUnproven(error)) {
      unproven++
      options.outage?.failed(firstLine(error))
    }
    if (!isAway(failure)) return failure
    options.outage?.failed(firstLine(error))
    for (const giveUp of acquiring) giveUp(failure)
    return failure
  }

  const watchdog = connectionWatchdog(
    { url: () => hosts.current, name: applicationName, longest: options.statementTimeout, wait: options.wait },
    (refused) => {
      options.outage?.failed('the database does not answer: all queries are given up')
      raise(refused)
    },
  )

  const setUpConnection = (connection: Client): Promise<void> =>
    watchdog.during(connection, options.wait, async () => {
      await setUpFor(options.cell ?? 1, connection, {
        ...planning,
        ...reliedOn,
        application_name: applicationName,
        statement_timeout: String(options.statementTimeout),
        lock_timeout: String(options.wait),
        idle_in_transaction_session_timeout: String(options.statementTimeout),
      })
      await options.accept?.(connection)
    })

  async function acquire(): Promise<Client> {
    const coming: Promise<Client> = knex.client.acquireConnection()
    // Promise.race with one shared promise would keep every race in memory until the database fails
    const { promise, resolve, reject } = Promise.withResolvers<Client>()
    acquiring.add(reject)
    coming.then(resolve, reject)
    try {
      return await watchdog.acquiring(() => promise)
    } catch (error) {
      coming.then(
        (late) => knex.client.releaseConnection(late),
        () => {},
      )
      throw error instanceof Refusal ? error : raise(error)
    } finally {
      acquiring.delete(reject)
    }
  }

  const isStandby = (connection: Client): Promise<boolean> =>
    watchdog
      .during(connection, options.wait, () => connection.query<{ standby: boolean }>(recovery))
      .then(
        ({ rows }) => rows[0]!.standby,
        () => false,
      )

  async function withConnection<T>(work: (connection: Client) => Promise<T>): Promise<T> {
    const began = performance.now()
    const connection = await acquire()
    try {
      options.waits?.observe((performance.now() - began) / 1000)
      for (let tries = 1; ; tries++) {
        try {
          const result = await work(connection)
          if (options.outage?.on) options.outage.answered()
          return result
        } catch (error) {
          // Knex's pool drops a connection that has reported an error
          if (endsConnection(error)) connection.emit('error', error)
          if (tries === attempts || !mayRunAgain(error))
            throw raise(error, isRefusedWrite(error) && (await isStandby(connection)))
        }
      }
    } finally {
      knex.client.releaseConnection(connection)
    }
  }

  const runOn =
    (connection: Client, longest = options.statementTimeout, ask: typeof askProven = askProven): Database['run'] =>
    <Row>(query: Prepared, values: unknown[]) =>
      within(
        query.name,
        'client',
        async () => {
          const { rows } = await watchdog.during(connection, longest, () => ask(connection, query, values))
          return rows as Row[]
        },
        inTraces,
      )

  const run: Database['run'] = (query, values) => withConnection((connection) => runOn(connection)(query, values))

  const inTransaction = <T>(begin: string, work: (run: Database['run']) => Promise<T>, longest?: number): Promise<T> =>
    within('transaction', 'internal', () =>
      withConnection(async (connection) => {
        const say = (text: string) =>
          watchdog.during(connection, longest ?? options.statementTimeout, () => connection.query(text))
        await say(begin)
        try {
          const result = await work(runOn(connection, longest, askProvenOnce()))
          await say('commit')
          return result
        } catch (error) {
          await say('rollback').catch(() => connection.end())
          throw error
        }
      }),
    )

  return {
    knex,
    run,
    essential: <Row>(query: Prepared, values: unknown[]) =>
      run<Row>(query, values).catch(async (error: unknown) => {
        if (!isReadOnly(error) || !(await run<{ may: boolean }>(mayWrite, []))[0]!.may) throw error
        return inTransaction('begin read write', (run) => run<Row>(query, values))
      }),
    rows: (query, values) =>
      withConnection((connection) => takeRows(connection, () => runOn(connection)(query, values))),
    transaction: (work, longest) => inTransaction('begin', work, longest),
    snapshot: (work, longest) => inTransaction('begin isolation level repeatable read read only', work, longest),
    async ownSessions() {
      const usedInTurns = withConnection((one) =>
        withConnection(async (other) => {
          for (const connection of [one, other, one, one]) await runOn(connection)(nothing, [])
        }),
      )
      await usedInTurns.catch((error: unknown) => {
        const cause = error instanceof Refusal ? (error.cause ?? error) : error
        throw isUnproven(cause) ? new Error(sharedSessions, { cause }) : cause
      })
    },
    pool: () => {
      const { pool } = knex.client
      return {
        limit: options.connections,
        used: pool.numUsed(),
        free: pool.numFree(),
        waiting: pool.numPendingAcquires(),
        broken,
        unproven,
      }
    },
    close: async () => {
      await knex.destroy()
      watchdog.close()
    },
  }
}

/** Has the pool ask all servers for the one that takes writes; Knex itself knows one. */
function followPrimary({ client }: Knex, hosts: Hosts): void {
  client._acquireOnlyConnection = async () => {
    const connection = await hosts.connect(client.connectionSettings)
    const dispose = (why: unknown = 'the connection ended') => Object.assign(connection, { __knex__disposed: why })
    connection.on('error', dispose)
    connection.on('end', dispose)
    return connection
  }
}

const firstLine = (what: unknown) => String(what).split('\n')[0]!

/** An array for Postgres, of values that need no escaping: numbers and keys. */
export const arrayLiteral = (values: readonly unknown[]): string => `{${values.join(',')}}`

/** The same, of `valueOf` each item. */
export const arrayOf = <Item>(items: readonly Item[], valueOf: (item: Item) => unknown): string =>
  arrayLiteral(items.map(valueOf))
