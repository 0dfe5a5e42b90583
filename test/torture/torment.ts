import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../start/postgres.ts'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { addSecondCell } from '../support/cells.ts'
import { databaseAt, type TestDatabase } from '../support/database.ts'
import { startProcesses } from '../support/processes.ts'
import { tokens } from '../support/system.ts'
import { databaseUrl } from '../support/template.ts'
import { bearer, type XapiClient } from '../support/xapi.ts'
import { follow } from './follower.ts'
import { random } from './random.ts'
import { verify, type Findings } from './verify.ts'
import { activityId, learner, ledger, write } from './writer.ts'

export interface TormentOptions {
  readonly folder: string
  readonly seed: number
  /** It ends when there were so many kills and so many acknowledged statements. */
  readonly kills: number
  readonly statements: number
  /** The second cell is on a second Postgres server; default: both are in one database. */
  readonly twoServers?: boolean
  /** Milliseconds after a kill. */
  readonly readyWithin?: number
  readonly say: (line: string) => void
}

export interface Outcome extends Findings {
  readonly seed: number
  readonly kills: Record<'core' | 'gateway' | 'postgres', number>
  /** Moves of a game to the other cell that were not interrupted. */
  readonly moved: number
  readonly seconds: number
  readonly acknowledged: number
  readonly documents: number
  readonly retries: number
  /** Milliseconds from the last process being up to every gateway serving again. */
  readonly slowest: number
  /** Empty: as it has to be. */
  readonly failures: string[]
}

const writers = 8

/**
 * Two cores and two gateways on a Postgres that keeps its promises, killed at random while clients write into two
 * cells, in one database or on two servers, games move between them, and one client follows all games.
 */
export async function torment({
  folder,
  seed,
  kills,
  statements,
  twoServers = false,
  readyWithin = 5_000,
  say,
}: TormentOptions): Promise<Outcome> {
  const draw = random(seed)
  const began = performance.now()
  const names = twoServers ? ['postgres', 'east'] : ['postgres']
  const start = (name: string) => startPostgres({ dataDir: join(folder, name), settings: { max_connections: 100 } })
  const servers = await Promise.all(names.map(start))
  // a data folder always has the same socket, so the address stays when the server is started again
  const [database, second = database] = servers.map(({ url }) => databaseAt(databaseUrl(url, 'lrs'))) as [
    TestDatabase,
    TestDatabase?,
  ]
  const processes = await startProcesses({
    cores: 2,
    gateways: 2,
    database,
    env: twoServers ? { LRS_CELL_SERVERS: `east=${second.url}` } : {},
  })
  const admin = processes.connections.map((connection) => connection.as(bearer(tokens.admin)))
  await addSecondCell(admin[0]!.cells, twoServers ? 'east' : '')
  // one in each cell
  const games = [await processes.game(), await processes.game()]
  const gatewaysOf = (writer: number) => [0, 1].map((n) => games[writer % 2]!.xapi(n))
  const everything = await processes.game([Scope.ALL_READ])
  const gateways = [0, 1].map((n) => everything.xapi(n))
  const book = ledger()
  const killed = { core: 0, gateway: 0, postgres: 0 }
  let slowest = 0
  let over = false
  const count = () => killed.core + killed.gateway + killed.postgres

  const attacks = {
    async core(n: number) {
      await processes.killCore(n)
      // as a supervisor does, when the machine is so busy that a core cannot start
      for (let attempt = 1; ; attempt++)
        try {
          return await processes.reviveCore(n)
        } catch (error) {
          if (attempt === 5) throw error
        }
    },
    gateway: (n: number) => processes.crashGateway(n),
    async postgres() {
      const n = killed.postgres % servers.length
      servers[n]!.kill()
      await servers[n]!.exited
      servers[n] = await start(names[n]!)
    },
  }
  /** Moves a game to the other cell, unless somebody is killed meanwhile. */
  async function move(n: number): Promise<void> {
    const { id } = games[n]!
    const there = await database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id])
    await admin[n]!.cells.moveGame({ gameId: id, cell: 3 - there[0]!.cell })
    moved++
  }
  let moved = 0
  const working = Array.from({ length: writers }, (_, n) => write(gatewaysOf(n), n, draw.fork(n), book, () => over))
  const following = follow(gateways, draw.fork(writers), () => over && finished)
  let finished = false
  try {
    while (count() < kills || book.statements.size < statements) {
      await sleep(draw.between(20, 1_200))
      void move((moved + count()) % 2).catch(() => {})
      if (count() >= kills) continue
      const targets = draw.of([
        ['core'],
        ['core'],
        ['gateway'],
        ['postgres'],
        ['core', 'gateway'],
        ['core', 'core'],
      ] as const)
      const first = draw.between(0, 1)
      await Promise.all(targets.map((target, n) => attacks[target]((first + n) % 2).then(() => killed[target]++)))
      const up = performance.now()
      await serving(gateways, up + 6 * readyWithin)
      slowest = Math.max(slowest, performance.now() - up)
      if (count() % 10 < targets.length)
        say(`${count()} kills, ${book.statements.size} statements acknowledged, ${book.retries} retries`)
    }
    over = true
    await Promise.all(working)
    finished = true
    const followed = await following
    const states = new Map<string, string>()
    for (let n = 0; n < writers; n++) {
      const reply = await gatewaysOf(n)[0]!.request('GET', 'activities/state', {
        query: { activityId, agent: learner(n), stateId: `save-${n}` },
      })
      if (reply.status === 200) states.set(`save-${n}`, reply.text)
    }
    const findings = await verify(database, book, states, followed, second)
    const outcome = {
      seed,
      kills: killed,
      moved,
      seconds: Math.round((performance.now() - began) / 1000),
      acknowledged: book.statements.size,
      documents: book.documents.size,
      retries: book.retries,
      slowest: Math.round(slowest),
      ...findings,
    }
    return { ...outcome, failures: failuresOf(outcome, book.wrong, readyWithin) }
  } finally {
    over = finished = true
    await processes.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Resolves when both gateways answer with data. */
async function serving(gateways: readonly XapiClient[], until: number): Promise<void> {
  for (const gateway of gateways) {
    while ((await gateway.get({ limit: 1 }).catch(() => undefined))?.status !== 200) {
      if (performance.now() > until) throw new Error(`${gateway.url} does not serve again`)
      await sleep(10)
    }
  }
}

const zero = [
  'lost',
  'doubled',
  'changed',
  'unsent',
  'cut',
  'missed',
  'repeated',
  'disorder',
  'documentsWrong',
] as const

function failuresOf(outcome: Findings & { slowest: number }, wrong: readonly string[], readyWithin: number): string[] {
  return [
    ...zero.filter((name) => outcome[name] > 0).map((name) => `${name}: ${outcome[name]}`),
    ...(outcome.slowest > readyWithin ? [`not ready within ${readyWithin} ms, but after ${outcome.slowest} ms`] : []),
    ...wrong.slice(0, 10).map((text) => `a wrong answer: ${text}`),
  ]
}

/** For the end of a run and the docs. */
export function table({ seed, kills, moved, seconds, failures, ...figures }: Outcome): string {
  const rows: [string, string | number][] = [
    ['seed', seed],
    [
      'kills (core, gateway, Postgres)',
      `${kills.core + kills.gateway + kills.postgres} (${kills.core}, ${kills.gateway}, ${kills.postgres})`,
    ],
    ['games moved to the other cell', moved],
    ['seconds', seconds],
    ['statements acknowledged', figures.acknowledged],
    ['statements stored', figures.stored],
    ['requests sent again', figures.retries],
    ['lost', figures.lost],
    ['doubled', figures.doubled],
    ['changed bytes', figures.changed],
    ['stored, but never sent', figures.unsent],
    ['batches cut', figures.cut],
    ['missed by the follower', figures.missed],
    ['repeated to it', figures.repeated],
    ['out of order', figures.disorder],
    ['state documents that are not the last acknowledged', figures.documentsWrong],
    ['slowest to serve again, ms', figures.slowest],
  ]
  const lines = rows.map(([name, value]) => `| ${name.padEnd(50)} | ${String(value).padStart(22)} |`)
  return [
    `| ${''.padEnd(50)} | ${''.padStart(22)} |`,
    `| ${'-'.repeat(50)} | ${'-'.repeat(21)}: |`,
    ...lines,
    '',
    failures.length === 0 ? 'All as it has to be.' : `WRONG\n${failures.join('\n')}`,
  ].join('\n')
}
