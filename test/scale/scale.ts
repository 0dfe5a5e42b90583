// What several cells store: `npm run scale`, or `-- --seconds 10 --rounds 3`. Takes about 3 minutes.
//
// Each commit is held for 5 ms by a trigger, so that the lock of an order is the bound and not the processor. Each arm
// has the same number of writers for each cell; a last arm has those of one cell on two. Without the trigger the
// processors are the bound of this machine.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt, type TestDatabase } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { startProcesses } from '../support/processes.ts'
import { databaseUrl } from '../support/template.ts'
import { statements } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '6' }, rounds: { type: 'string', default: '3' } },
})
const milliseconds = Number(values.seconds) * 1000
const rounds = Number(values.rounds)
const mostCells = 4
const writersOfCell = 4

const schema = (cell: number) => (cell === 1 ? 'public' : `cell_${cell}`)

/** Sleeps once in each transaction that stores statements, at its commit, while it has the lock. */
async function holdCommits({ sql }: TestDatabase): Promise<void> {
  await sql(`create function hold_commit() returns trigger language plpgsql as $$
    begin
      if coalesce(current_setting('test.held', true), '') <> txid_current()::text then
        perform set_config('test.held', txid_current()::text, true), pg_sleep(0.005);
      end if;
      return null;
    end $$`)
  for (let cell = 1; cell <= mostCells; cell++)
    await sql(`create constraint trigger hold after insert on ${schema(cell)}.statement
      deferrable initially deferred for each row execute function hold_commit()`)
}

async function letGo({ sql }: TestDatabase): Promise<void> {
  for (let cell = 1; cell <= mostCells; cell++) await sql(`drop trigger hold on ${schema(cell)}.statement`)
}

const median = (list: readonly number[]): number => [...list].sort((one, other) => one - other)[list.length >> 1]!

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-scale-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 200 } })
const processes = await startProcesses({
  cores: 1,
  gateways: 0,
  database: databaseAt(databaseUrl(postgres.url, 'lrs')),
})
try {
  const admin = processes.connections[0]!.as(bearer(tokens.admin))
  for (let cell = 2; cell <= mostCells; cell++) await admin.cells.addCell({})
  // one game in each cell, in the order of the cells
  const games: Game[] = []
  for (let cell = 1; cell <= mostCells; cell++) games.push(await processes.game())
  const placed = await processes.database.sql<{ cell: number }>('select cell from tenant order by game')
  if (placed.map(({ cell }) => cell).join() !== '1,2,3,4') throw new Error('the games are not one in each cell')

  /** Stores statements one by one, each after the answer to the one before, and returns how many. */
  async function write(game: Game, until: number): Promise<number> {
    const service = game.rpc(0).statements
    let count = 0
    for (; performance.now() < until; count++)
      await service.storeStatements({ json: Buffer.from(JSON.stringify(statements(1))) })
    return count
  }

  /** Statements a second. */
  async function rate(cells: number, writers: number): Promise<number> {
    const began = performance.now()
    const until = began + milliseconds
    const stored = await Promise.all(Array.from({ length: writers }, (_, n) => write(games[n % cells]!, until)))
    return (stored.reduce((sum, count) => sum + count, 0) / (performance.now() - began)) * 1000
  }

  const arms = [
    { name: '1 cell', cells: 1, writers: writersOfCell },
    { name: '2 cells', cells: 2, writers: 2 * writersOfCell },
    { name: '4 cells', cells: 4, writers: 4 * writersOfCell },
    { name: '2 cells, writers of one', cells: 2, writers: writersOfCell },
  ]
  for (const held of [true, false]) {
    if (held) await holdCommits(processes.database)
    else await letGo(processes.database)
    const rates = new Map(arms.map(({ name }) => [name, [] as number[]]))
    await rate(mostCells, 4)
    for (let round = 0; round < rounds; round++)
      for (const { name, cells, writers } of arms) rates.get(name)!.push(await rate(cells, writers))
    const one = median(rates.get('1 cell')!)
    process.stdout.write(
      `\n${held ? 'Each commit held for 5 ms' : `Not held; ${availableParallelism()} processors`}, median of ${rounds}\n`,
    )
    for (const { name, writers } of arms) {
      const of = median(rates.get(name)!)
      process.stdout.write(
        `${name.padEnd(24)} ${String(writers).padStart(3)} writers ${of.toFixed(0).padStart(7)} statements/s ${(of / one).toFixed(2).padStart(6)} times one\n`,
      )
      if (held && name === '2 cells' && of / one < 1.9) {
        process.stdout.write('SHORT: two cells store less than 1.9 times one\n')
        process.exitCode = 1
      }
    }
  }
} finally {
  await processes.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
