import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../start/fixtures/launch.ts'
import { startPostgres } from '../start/postgres.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { databaseUrl } from './support/template.ts'
import { statements, type Json } from './support/statements.ts'
import type { Game } from './support/games.ts'
import { databaseAt, type TestDatabase } from './support/database.ts'
import { bestOfThree } from './support/cost.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const writers = 6

/** Writes batches like a game does: what was not acknowledged is sent again, the same, until it is. */
async function write(
  game: Game,
  gateways: number,
  writer: number,
  until: () => boolean,
  count: () => void,
): Promise<{ batches: Json[][]; tries: number }> {
  const batches: Json[][] = []
  let tries = 0
  while (!until()) {
    const batch = statements(1 + (batches.length % 40))
    for (let acknowledged = false; !acknowledged;) {
      const reply = await game
        .xapi((writer + tries++) % gateways)
        .post(batch)
        .catch(() => undefined)
      acknowledged = reply?.status === 200
      if (reply && !acknowledged) expect(reply.status, reply.text).toBe(503)
      if (!acknowledged) await new Promise((done) => setTimeout(done, 50))
    }
    batches.push(batch)
    count()
  }
  return { batches, tries }
}

/** Every acknowledged statement once, nothing else: a batch that was cut would leave less, a retry more. */
async function expectAll(database: TestDatabase, batches: Json[][]): Promise<void> {
  const rows = await database.sql<{ id: string }>('select id from statement')
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(batches.flat().map(({ id }) => id)))
  expect(rows).toHaveLength(batches.flat().length)
}

test(
  'a killed Postgres that comes back: nothing acknowledged is lost, writers get 503 and go on within 5 s',
  bestOfThree,
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-crash-')))
    cleanups.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    const start = () => startPostgres({ dataDir: join(folder, 'postgres') })
    let postgres = await start()
    cleanups.push(() => postgres.stop())
    const database = databaseAt(databaseUrl(postgres.url, 'lrs'))
    const processes: Processes = await startProcesses({ cores: 2, gateways: 1, database })
    cleanups.push(() => processes.close())
    const game = await processes.game()
    let over = false
    let acknowledged = 0
    const written = Promise.all(
      Array.from({ length: writers }, (_, n) =>
        write(
          game,
          1,
          n,
          () => over,
          () => acknowledged++,
        ),
      ),
    )
    // it may fail before anybody waits for it
    written.catch(() => {})
    for (let round = 0; round < 2; round++) {
      const before = acknowledged
      await eventually(
        () => acknowledged >= before + 100,
        () => `100 batches, ${acknowledged - before} so far`,
      )
      postgres.kill()
      await postgres.exited
      const reply = await game.xapi().get({ limit: 1 })
      expect(reply.status, reply.text).toBe(503)
      postgres = await start()
      await eventually(
        async () => (await game.xapi().get({ limit: 1 })).status === 200,
        () => 'core to serve again',
        10_000,
      )
    }
    over = true
    const done = await written
    await expectAll(
      database,
      done.flatMap(({ batches }) => batches),
    )
  },
)
