// How fast counts follow writers: `node start/bootstrap.mjs bench/count-beside-writers.ts [seconds of a phase]`.
// 8 writers send batches of 50: at full speed without and with counting, then what is left is caught up, then 6,000 a
// second. It prints statements a second, how far counts are behind, and the CPU of each process.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { definitions } from '../core/analytics/rules/definitions.ts'
import { openStore } from '../core/store.ts'
import { startPostgres } from '../start/postgres.ts'
import { databaseUrl } from '../test/support/template.ts'
import { randomOf, sessionOf } from '../test/recount/serious-game.ts'
import { cpuOfAll } from './cpu.ts'
import { authorizationOf } from './keys.ts'
import { openConnection, requestOf } from './load/http.ts'
import { credentialsOf, startSystem } from './system.ts'

const seconds = Number(process.argv[2] ?? 15)
const [writers, batch, fixed] = [8, 50, 6_000]
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-beside-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 60 } })
const url = databaseUrl(postgres.url, 'lrs')
const store = openStore({ url, connections: 2, wait: 5_000, statementTimeout: 600_000 })
await store.migrate()
const credentials = await credentialsOf(store, url, 1)
await store.close()
const system = await startSystem({ databaseUrl: url, folder })
const sql = new Client({ connectionString: url })
await sql.connect()
const { game } = credentials[0]!
try {
  const alone = await write('full speed, not counted', Infinity)
  await sql.query(
    `insert into tally_cursor (game, stored, opened, definitions) select $1, max(stored), now(), $2
      from statement where game = $1`,
    [game, definitions],
  )
  const beside = await write('full speed, counted', Infinity)
  console.log(`writers have ${Math.round((100 * beside) / alone)} % of their speed`)
  await catchUp()
  await write(`${fixed} a second, counted`, fixed)
  await catchUp()
} finally {
  await sql.end()
  await system.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Requests that are made before a phase, so that making them takes no time of it. */
function requestsOf(count: number): Buffer[] {
  const random = randomOf(Math.random() * 2 ** 31)
  const waiting: object[] = []
  return Array.from({ length: count }, () => {
    while (waiting.length < batch)
      for (const one of sessionOf(Math.floor(random() * 5_000), Date.now(), random))
        waiting.push({ ...one, timestamp: undefined, id: randomUUID() })
    const headers = { Authorization: authorizationOf(0), 'Content-Type': 'application/json' }
    return requestOf('POST', '/xapi/statements', headers, JSON.stringify(waiting.splice(0, batch)))
  })
}

async function write(name: string, rate: number): Promise<number> {
  const requests = requestsOf(Math.ceil((Math.min(rate, 12_000) * seconds) / batch))
  const behind: number[] = []
  const before = cpuOfAll(system, postgres)
  const began = performance.now()
  const ends = began + seconds * 1_000
  let stored = 0
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      behind.push(await behindBy())
      await pause(200)
    }
  })()
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const connection = await openConnection(system.port)
      for (let n = 0; performance.now() < ends; n++) {
        const due = began + ((n * writers + writer) * batch * 1_000) / rate
        if (due > performance.now()) await pause(due - performance.now())
        const request = requests.pop()
        if (!request || performance.now() >= ends) break
        const { status } = await connection.send(request)
        if (status !== 200) throw new Error(`a batch was refused: ${status}`)
        stored += batch
      }
      connection.close()
    }),
  )
  const took = (performance.now() - began) / 1_000
  isOver = true
  await looking
  const sorted = behind.toSorted((a, b) => a - b)
  const [median, worst] = [sorted[sorted.length >> 1]!, sorted.at(-1)!]
  console.log(`${name}: ${Math.round(stored / took)} stored a second, ${inMicros(before, stored)}`)
  if (rate !== Infinity || !name.includes('not'))
    console.log(`  behind: median ${median.toFixed(1)} s, worst ${worst.toFixed(1)} s`)
  return stored / took
}

function inMicros(before: Record<string, number>, count: number): string {
  return Object.entries(cpuOfAll(system, postgres))
    .map(([name, used]) => `${name} ${Math.round((used - before[name]!) / count)} µs`)
    .join(', ')
}

/** Seconds since the first statement was stored that is not counted; 0: all are. */
async function behindBy(): Promise<number> {
  const { rows } = await sql.query(
    `select coalesce((select extract(epoch from clock_timestamp()) - s.stored / 1e6 from statement s
      where (s.game, s.stored) > ($1, (select stored from tally_cursor where game = $1)) and s.game <= $1
      order by s.game, s.stored limit 1), 0)::float8 as behind`,
    [game],
  )
  return rows[0].behind
}

async function catchUp(): Promise<void> {
  const before = cpuOfAll(system, postgres)
  const began = performance.now()
  const { rows } = await sql.query(
    `select count(*)::int as left from statement where game = $1
      and stored > (select stored from tally_cursor where game = $1)`,
    [game],
  )
  const { left } = rows[0]
  while ((await behindBy()) > 0) await pause(100)
  const took = (performance.now() - began) / 1_000
  console.log(`caught up with ${left}: ${Math.round(left / took)} a second, ${inMicros(before, Math.max(left, 1))}`)
}
