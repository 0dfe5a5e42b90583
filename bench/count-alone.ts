// What counting costs: `node start/bootstrap.mjs bench/count-alone.ts [statements]`. For each shape it counts a game
// twice, the first time to warm up, and prints the CPU of core and of Postgres for each statement of the second time.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formerLearners } from '../core/analytics/store/cell/former-learners.ts'
import { tallyStore } from '../core/analytics/store/cell/tallies.ts'
import { openDatabase } from '../core/process/database/database.ts'
import { openStore } from '../core/store.ts'
import { startPostgres } from '../start/postgres.ts'
import { databaseUrl } from '../test/support/template.ts'
import { randomOf, sessionOf } from '../test/recount/serious-game.ts'
import { cpuOfAll } from './cpu.ts'
import { prepareBatch } from './fill.ts'
import { credentialsOf, createDatabase } from './system.ts'

/** Learners, sessions at the same time, and days over which sessions are spread, in no order. */
const shapes = {
  'session after session': { learners: 5_000, open: 1, days: 0 },
  '50 learners': { learners: 50, open: 50, days: 0 },
  '50,000 learners': { learners: 50_000, open: 2_000, days: 0 },
  '60 days in no order': { learners: 5_000, open: 200, days: 60 },
}
const dayMs = 86_400_000
const [size, batch] = [Number(process.argv[2] ?? 40_000), 250]
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-count-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 60 } })
try {
  for (const [n, [name, shape]] of Object.entries(shapes).entries()) {
    await count(`warm_${n}`, shape)
    const { core, server } = await count(`count_${n}`, shape)
    console.log(`${name}: core ${core.toFixed(0)} µs, postgres ${server.toFixed(0)} µs a statement`)
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

function* statementsOf({ learners, open, days }: (typeof shapes)[keyof typeof shapes]): Generator<string> {
  const random = randomOf(7)
  const begin = () =>
    sessionOf(Math.floor(random() * learners), Date.now() - Math.floor(random() * days * dayMs), random)
  const sessions = Array.from({ length: open }, begin)
  for (;;) {
    const place = Math.floor(random() * open)
    const { value, done } = sessions[place]!.next()
    if (done) sessions[place] = begin()
    else yield JSON.stringify(days === 0 ? { ...value, timestamp: undefined } : value)
  }
}

async function count(name: string, shape: (typeof shapes)[keyof typeof shapes]) {
  await createDatabase(postgres, name)
  const url = databaseUrl(postgres.url, name)
  const options = { url, wait: 20_000, statementTimeout: 600_000 }
  const store = openStore({ ...options, connections: 4 })
  await store.migrate()
  const [credential] = await credentialsOf(store, url, 1)
  const source = statementsOf(shape)
  for (let made = 0; made < size; made += batch)
    await store.statements.store([
      prepareBatch(
        Array.from({ length: batch }, () => source.next().value!),
        credential!,
      ),
    ])
  await store.close()
  const database = openDatabase({ ...options, connections: 1 })
  const tallies = tallyStore(database, formerLearners())
  const used = () => cpuOfAll({ pids: { gateway: [], core: [process.pid] } }, postgres)
  await tallies.begin(credential!.game)
  const before = used()
  while ((await tallies.fold(credential!.game)) === 'more');
  const after = used()
  await database.close()
  return { core: (after.core - before.core) / size, server: (after.postgres - before.postgres) / size }
}
