import { randomBytes } from 'node:crypto'
import knexModule, { type Knex } from 'knex'
import type { Client, QueryResultRow } from 'pg'
import { isAway, Refusal } from '../refusal.ts'
import { optionsOf, planning } from './planning.ts'
import { tapRows, takeRows, type RawRow } from './raw-rows.ts'
import { watchSilence } from './silence.ts'
import { endsConnection, isReadOnly, mayRunAgain, storeFailure } from './store-failure.ts'
import { within } from '../../tracing/trace.ts'

export interface DatabaseOptions {
  readonly url: string
  /** Connections that one core process may hold. */
  readonly connections: number
  /** Milliseconds to wait for a free connection, or for a lock, before the call is refused. */
  readonly wait: number
  /** Milliseconds after which Postgres ends a query of ours. */
  readonly statementTimeout: number
  /** Told of connections that broke or were given up, and of calls that found the database away; whoever made one gets a Refusal beside. */
  readonly onFailed?: (what: string) => void
  /** Told that the database has done what it was asked for. */
  readonly onAnswered?: () => void
  /** Told how many seconds each took to get a connection. */
  readonly onWait?: (seconds: number) => void
}

/** A query that Postgres plans once for each connection. The name stands for the text: one text, one name. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

export interface Database {
  readonly knex: Knex
  /** Runs a query made with Knex's builder; failures come as those of `run`. */
  build<T>(query: (knex: Knex) => PromiseLike<T> & { connection(connection: Client): unknown }): Promise<T>
  /** Runs one prepared query in one round trip. Failures of Postgres come as Refusals, see store-failure.ts. */
  run<Row extends QueryResultRow>(query: Prepared, values: unknown[]): Promise<Row[]>
  /** The same for essential writes, which also run on a nearly full disk (start/postgres/keep-space.ts). */
  essential: Database['run']
  /** The same, with the rows as the bytes that Postgres sends. */
  rows(query: Prepared, values: unknown[]): Promise<RawRow[]>
  /**
   * Runs `work` in one transaction on one connection; more than once when it lost against another one.
   * @param longest milliseconds that a query of it may take, where it sets another statement_timeout
   */
  transaction<T>(work: (run: Database['run']) => Promise<T>, longest?: number): Promise<T>
  /** Connections in use and at rest, who waits for one, and how many broke by themselves since the start. */
  pool(): { limit: number; used: number; free: number; waiting: number; broken: number }
  close(): Promise<void>
}

/** Of this process alone: behind another server, after a failover, the numbers of connections are those of others. */
const applicationName = `games-lrs core ${randomBytes(4).toString('hex')}`
const inTraces = { 'db.system.name': 'postgresql' }

/** No transaction may write on a standby or on a full disk. */
const mayWrite = {
  name: 'may_write',
  text: `select not pg_is_in_recovery() and coalesce(current_setting('games_lrs.disk_full', true), '') <> 'on' as may`,
}

/** How often a transaction is run that lost against another one. */
const attempts = 3

export function openDatabase(options: DatabaseOptions): Database {
  let broken = 0
  const knex = knexModule({
    client: 'pg',
    connection: {
      connectionString: options.url,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: options.wait,
      options: [
        `-c statement_timeout=${options.statementTimeout} -c lock_timeout=${options.wait}`,
        `-c idle_in_transaction_session_timeout=${options.statementTimeout} ${optionsOf(planning)}`,
      ].join(' '),
    },
    pool: {
      min: 0, max: options.connections, propagateCreateError: true,
      afterCreate: (connection: Client, done: (error: unknown, connection: Client) => void) => {
        tapRows(connection)
        done(undefined, connection)
      },
    },
    acquireConnectionTimeout: options.wait,
    log: {
      warn: (message: unknown) => {
        broken++
        options.onFailed?.(firstLine(message))
      },
    },
  })

  /** Those who wait for a connection: when the database turns out not to answer they would only wait for it next. */
  const acquiring = new Set<(failure: unknown) => void>()

  function raise(error: unknown): unknown {
    const failure = storeFailure(error)
    if (!isAway(failure)) return failure
    options.onFailed?.(firstLine(error))
    for (const giveUp of acquiring) giveUp(failure)
    return failure
  }

  const silence = watchSilence({ url: options.url, name: applicationName, longest: options.statementTimeout }, (refused) => {
    options.onFailed?.('the database is silent: whatever waits for it is given up')
    raise(refused)
  })

  async function acquire(): Promise<Client> {
    const coming: Promise<Client> = knex.client.acquireConnection()
    // no race with one promise for all: it would remember every race until the database fails
    const { promise, resolve, reject } = Promise.withResolvers<Client>()
    acquiring.add(reject)
    coming.then(resolve, reject)
    try {
      return await silence.acquiring(() => promise)
    } catch (error) {
      coming.then((late) => knex.client.releaseConnection(late), () => {})
      throw error instanceof Refusal ? error : raise(error)
    } finally {
      acquiring.delete(reject)
    }
  }

  async function withConnection<T>(work: (connection: Client) => Promise<T>): Promise<T> {
    const began = performance.now()
    const connection = await acquire()
    options.onWait?.((performance.now() - began) / 1000)
    try {
      for (let tries = 1; ; tries++) {
        try {
          const result = await work(connection)
          options.onAnswered?.()
          return result
        } catch (error) {
          // so that the pool gives it to nobody
          if (endsConnection(error)) Object.assign(connection, { __knex__disposed: error })
          if (tries === attempts || !mayRunAgain(error)) throw raise(error)
        }
      }
    } finally {
      knex.client.releaseConnection(connection)
    }
  }

  const runOn = (connection: Client, longest = options.statementTimeout): Database['run'] => <Row extends QueryResultRow>(query: Prepared, values: unknown[]) =>
    within(query.name, 'client', async () => {
      const { rows } = await silence.during(connection, longest, () => connection.query<Row>({ name: query.name, text: query.text, values }))
      return rows
    }, inTraces)

  const run: Database['run'] = (query, values) => withConnection((connection) => runOn(connection)(query, values))

  const inTransaction = <T>(begin: string, work: (run: Database['run']) => Promise<T>, longest?: number): Promise<T> =>
    within('transaction', 'internal', () => withConnection(async (connection) => {
      const say = (text: string) => silence.during(connection, longest ?? options.statementTimeout, () => connection.query(text))
      await say(begin)
      try {
        const result = await work(runOn(connection, longest))
        await say('commit')
        return result
      } catch (error) {
        await say('rollback').catch(() => connection.end())
        throw error
      }
    }))

  return {
    knex,
    build: (query) =>
      within('query', 'client', () => withConnection((connection) => {
        const built = query(knex)
        built.connection(connection)
        return silence.during(connection, options.statementTimeout, () => built)
      }), inTraces),
    run,
    essential: <Row extends QueryResultRow>(query: Prepared, values: unknown[]) =>
      run<Row>(query, values).catch(async (error: unknown) => {
        if (!isReadOnly(error) || !(await run<{ may: boolean }>(mayWrite, []))[0]!.may) throw error
        return inTransaction('begin read write', (run) => run<Row>(query, values))
      }),
    rows: (query, values) => withConnection((connection) => takeRows(connection, () => runOn(connection)(query, values))),
    transaction: (work, longest) => inTransaction('begin', work, longest),
    pool: () => {
      const { pool } = knex.client
      return { limit: options.connections, used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires(), broken }
    },
    close: async () => {
      await knex.destroy()
      silence.close()
    },
  }
}

const firstLine = (what: unknown) => String(what).split('\n')[0]!
