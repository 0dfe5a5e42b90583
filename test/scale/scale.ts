// What several cells store: `npm run scale`, or `-- --seconds 10 --rounds 3`. Takes about 5 minutes.
//
// In the first part each commit is held for 5 ms by a trigger, in place of a disk, so that the lock of an order is the
// bound and not the processor: two writers for each cell keep its lock busy, and more would only use the processors up.
// A
// last arm has the writers of one cell on two. In the second part nothing is held, four writers for each cell wait for
// the disk, and the machine is the bound. `-- --held` runs the first part only.
// `-- --before <folder>` compares one cell with the code of an earlier version in that folder.
// `-- --processors` measures 1, 2, 4 … processors in place of cells (processors.ts).
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withChildren } from '../../bench/cpu.ts'
import { startPostgres, type Postgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { databaseUrl } from '../support/template.ts'
import { statements } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { processors } from './processors.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    before: { type: 'string' },
    held: { type: 'boolean', default: false },
    processors: { type: 'boolean', default: false },
  },
})
const milliseconds = Number(values.seconds) * 1000
const rounds = Number(values.rounds)
/** Cells of the second server. */
const eastern = [5, 6]

interface Arm {
  readonly name: string
  readonly cells: readonly number[]
  readonly writers: number
}
function armsOf(writersOfCell: number): Arm[] {
  const arm = (name: string, cells: readonly number[], writers = cells.length * writersOfCell): Arm => ({
    name,
    cells,
    writers,
  })
  return [
    arm('1 cell', [1]),
    arm('2 cells', [1, 2]),
    arm('2 cells on 2 servers', [1, 5]),
    arm('4 cells', [1, 2, 3, 4]),
    arm('4 cells on 2 servers', [1, 2, 5, 6]),
    arm('2 cells, writers of one', [1, 2], writersOfCell),
  ]
}

/** Sleeps once in each transaction that stores statements, at its commit, while it has the lock. */
async function holdCommits(url: string, cells: readonly number[]): Promise<void> {
  const { sql } = databaseAt(url)
  await sql(`create function hold_commit() returns trigger language plpgsql as $$
    begin
      if coalesce(current_setting('test.held', true), '') <> txid_current()::text then
        perform set_config('test.held', txid_current()::text, true), pg_sleep(0.005);
      end if;
      return null;
    end $$`)
  for (const cell of cells)
    await sql(`create constraint trigger hold after insert on ${cell === 1 ? 'public' : `cell_${cell}`}.statement
      deferrable initially deferred for each row execute function hold_commit()`)
}

const median = (list: readonly number[]): number => [...list].sort((one, other) => one - other)[list.length >> 1]!

/** Stores statements one by one, each after the answer to the one before, and returns how many. */
async function write(game: Game, until: number): Promise<number> {
  const service = game.rpc(0).statements
  let count = 0
  for (; performance.now() < until; count++)
    await service.storeStatements({ json: Buffer.from(JSON.stringify(statements(1))) })
  return count
}

interface Rate {
  /** A second. */
  readonly statements: number
  /** µs of the processor for each statement. */
  readonly cpu: Readonly<Record<'core' | 'postgres' | 'east' | 'clients', number>>
}

async function rate(games: readonly Game[], writers: number, pids: Pids): Promise<Rate> {
  const before = cpuOf(pids)
  const began = performance.now()
  const until = began + milliseconds
  const stored = await Promise.all(Array.from({ length: writers }, (_, n) => write(games[n % games.length]!, until)))
  const count = stored.reduce((sum, one) => sum + one, 0)
  const after = cpuOf(pids)
  const each = (name: keyof Rate['cpu']) => (after[name] - before[name]) / count
  return {
    statements: (count / (performance.now() - began)) * 1000,
    cpu: { core: each('core'), postgres: each('postgres'), east: each('east'), clients: each('clients') },
  }
}

interface Pids {
  readonly core: number
  readonly postgres: number
  readonly east: number
}

function cpuOf({ core, postgres, east }: Pids): Rate['cpu'] {
  const { user, system } = process.cpuUsage()
  return {
    core: withChildren(core),
    postgres: withChildren(postgres),
    east: withChildren(east),
    clients: user + system,
  }
}

function report(name: string, rates: readonly Rate[], one: number, writers: number): number {
  const of = median(rates.map((rate) => rate.statements))
  const cpu = (['core', 'postgres', 'east', 'clients'] as const)
    .map((which) => `${which} ${median(rates.map((rate) => rate.cpu[which])).toFixed(0)}`)
    .join(', ')
  process.stdout.write(
    `${name.padEnd(24)} ${String(writers).padStart(3)} writers ${of.toFixed(0).padStart(6)} statements/s ` +
      `${(of / one).toFixed(2).padStart(6)} times one; µs of CPU each: ${cpu}\n`,
  )
  return of / one
}

/** One game in each cell, by the number of the cell. */
async function gamesIn(processes: Processes): Promise<Map<number, Game>> {
  const admin = processes.connections[0]!.as(bearer(tokens.admin))
  for (let cell = 2; cell <= 4; cell++) await admin.cells.addCell({})
  for (const _ of eastern) await admin.cells.addCell({ server: 'east' })
  const games = new Map<number, Game>()
  for (let n = 0; n < 4 + eastern.length; n++) {
    const game = await processes.game()
    const [row] = await processes.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [game.id])
    games.set(row!.cell, game)
  }
  if (games.size !== 4 + eastern.length) throw new Error('the games are not one in each cell')
  return games
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-scale-')))
const start = (name: string, durable: boolean) =>
  startPostgres({ dataDir: join(folder, name), durable, settings: { max_connections: 200 } })

/** Runs all arms on a new system. */
async function part(held: boolean): Promise<void> {
  const writersOfCell = held ? 2 : 4
  const arms = armsOf(writersOfCell)
  // what is held stands for the disk: cells on one server would wait for each other's writes to its log
  const servers = [await start(`first-${held}`, !held), await start(`east-${held}`, !held)] as [Postgres, Postgres]
  const [postgres, east] = servers
  const urls = servers.map(({ url }) => databaseUrl(url, 'lrs')) as [string, string]
  const processes = await startProcesses({
    cores: 1,
    gateways: 0,
    database: databaseAt(urls[0]),
    env: { LRS_CELL_SERVERS: `east=${urls[1]}` },
  })
  if (values.before !== undefined) await databaseAt(urls[0]).sql('create database earlier')
  const earlier =
    values.before === undefined
      ? undefined
      : await startProcesses({
          cores: 1,
          gateways: 0,
          firstCore: values.before,
          database: databaseAt(databaseUrl(postgres.url, 'earlier')),
        })
  try {
    const games = await gamesIn(processes)
    const pids = { core: processes.pids().cores[0]!, postgres: postgres.pid, east: east.pid }
    if (held) {
      await holdCommits(urls[0], [1, 2, 3, 4])
      await holdCommits(urls[1], eastern)
    }
    const rates = new Map(arms.map(({ name }) => [name, [] as Rate[]]))
    const before: Rate[] = []
    const old = await earlier?.game()
    if (earlier && held) await holdCommits(earlier.database.url, [1])
    await rate([...games.values()], 4, pids)
    for (let round = 0; round < rounds; round++) {
      if (old) before.push(await rate([old], writersOfCell, { ...pids, core: earlier!.pids().cores[0]! }))
      for (const { name, cells, writers } of arms)
        rates.get(name)!.push(
          await rate(
            cells.map((cell) => games.get(cell)!),
            writers,
            pids,
          ),
        )
    }
    const one = median(rates.get('1 cell')!.map((rate) => rate.statements))
    const what = held ? 'Each commit held for 5 ms' : 'Not held, with a disk'
    process.stdout.write(`\n${what}; ${availableParallelism()} processors, median of ${rounds}\n`)
    for (const { name, writers } of arms) {
      const times = report(name, rates.get(name)!, one, writers)
      if (held && name === '2 cells' && times < 1.9) {
        process.stdout.write(`SHORT: ${name} store less than 1.9 times one\n`)
        process.exitCode = 1
      }
    }
    if (old && report('the code before, 1 cell', before, one, writersOfCell) > 1 / 0.95) {
      process.stdout.write('SHORT: one cell stores less than 0.95 times what the code before stored\n')
      process.exitCode = 1
    }
  } finally {
    await earlier?.close()
    await processes.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

try {
  if (values.processors) await processors(folder, { rounds, ms: milliseconds })
  else for (const held of values.held ? [true] : [true, false]) await part(held)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
