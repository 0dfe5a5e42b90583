import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { openDatabase, sql } from '../core/process/database/database.ts'
import { idsOf, parsed, type Seen } from './support/followed.ts'
import type { Game } from './support/games.ts'
import { loadBesideStandby } from './support/standby-load.ts'
import { standbyPair, type Pair } from './support/standby.ts'
import { statement, statements, voiding, type Json } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-standbys-')))
let pair: Pair
let system: System
let game: Game
let everything: Game

beforeAll(async () => {
  pair = await standbyPair(folder)
  system = await startSystem({ cores: 2, database: pair.primary, readUrls: [pair.standby.url] })
  game = await system.game()
  everything = await system.game([Scope.ALL_READ])
})
afterAll(async () => {
  await system.close()
  await pair.close()
  rmSync(folder, { recursive: true, force: true })
})

const counts = () => ({ ...system.cores[0]!.store.readCounts() })
const store = async (list: Json[]): Promise<string[]> =>
  (await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids
const page = async (reader: Game, query: object = {}) => {
  const { json, consistentThrough, next } = await reader.rpc().statements.queryStatements(query)
  return { seen: parsed(json), ids: idsOf(parsed(json)), through: consistentThrough, next }
}
const found = (reader: Game, id: string): Promise<boolean> =>
  reader
    .rpc()
    .statements.getStatement({ statementId: id })
    .then(
      () => true,
      (error: unknown) => {
        if (ConnectError.from(error).code !== Code.NotFound) throw error
        return false
      },
    )
/** Whether the standby answers what is asked now. */
async function isRead(ask: () => Promise<unknown>): Promise<boolean> {
  const { standby } = counts()
  await ask()
  return counts().standby > standby
}
/** The standby has everything, and core asks it. */
async function inUse(): Promise<void> {
  await pair.caughtUp()
  await expect.poll(() => isRead(() => page(everything)), { timeout: 60_000 }).toBe(true)
  await expect.poll(() => isRead(() => page(game)), { timeout: 60_000 }).toBe(true)
}

describe('a standby that keeps up:', () => {
  test('it answers pages, lookups, exports and followers, with the same statements', async () => {
    const sent = await store(statements(30))
    await inUse()
    expect((await page(game, { ascending: true })).ids).toEqual(sent)
    expect((await page(everything, { limit: 20 })).ids).toEqual(sent.toReversed().slice(0, 20))
    expect(await isRead(() => found(game, sent[3]!))).toBe(true)
    const [stop, seen] = [new AbortController(), [] as Seen[]]
    const following = isRead(async () => {
      for await (const { json } of game.rpc().statements.follow({}, { signal: stop.signal })) {
        seen.push(...parsed(json))
        if (seen.length === 30) break
      }
    })
    expect(await following).toBe(true)
    expect(idsOf(seen)).toEqual(sent)
    const metrics = await system.cores[0]!.metrics.metrics()
    expect(metrics).toMatch(/lrs_core_reads_total\{answered="standby"\} [1-9]/)
    expect(metrics).toMatch(/lrs_core_standby_behind_seconds\{standby="\/.*"\} 0/)
  })
})

describe('a paused standby:', () => {
  let old: string[]
  beforeEach(async () => {
    await pair.resume()
    old = await store(statements(3))
    await inUse()
    await pair.pause()
  })

  test('a game reads what it wrote, also that it voided, and all games find what is not there yet', async () => {
    const { stored } = (await page(game, { limit: 1 })).seen[0]!
    const [id] = await store([statement()])
    expect((await page(game, { limit: 1 })).ids).toEqual([id])
    expect(await found(everything, id!)).toBe(true)
    await store([voiding(old[0]!)])
    expect(await found(game, old[0]!)).toBe(false)
    expect((await page(game, { limit: 10 })).ids).not.toContain(old[0])
    expect((await page(game, { until: stored })).ids).not.toContain(old[0])
    expect((await page(game, { limit: 1, ascending: true })).ids).not.toContain(old[0])
  })

  test('Consistent-Through is that of the standby; who was told of a later one reads the primary', async () => {
    const before = await page(everything, { limit: 1 })
    const [id] = await store([statement()])
    const [there, asked] = await Promise.all([
      page(everything, { limit: 2 }),
      pair.primary.sql<{ stored: string }>('select stored from statement where id = $1', [id]),
    ])
    const stored = asked[0]!.stored
    if (there.ids[0] !== id) expect(BigInt(there.through)).toBeLessThan(BigInt(stored))
    expect(before.ids[0]).not.toBe(id)
    const told = await page(game, { limit: 1 })
    expect(told.ids).toEqual([id])
    const [since, until] = [before.seen[0]!.stored, told.seen[0]!.stored]
    expect((await page(everything, { since, until, ascending: true })).ids).toContain(id)
    expect((await page(everything, { since: until })).ids).toEqual([])
    // the order of another cell may be ahead
    expect(await isRead(() => page(everything, { until: '2100-01-01T00:00:00Z' }))).toBe(false)
    expect((await page(everything, { offset: String(BigInt(stored) + 1n), limit: 1 })).ids).toEqual([id])
  })

  test('a rotated secret ends access at once, and what was erased is gone', async () => {
    const actor = { account: { homePage: 'https://players.example.org', name: 'gone' } }
    await pair.resume()
    const [id] = await store([statement({ actor })])
    await inUse()
    await pair.pause()
    expect(await isRead(() => page(everything, { limit: 1 }))).toBe(true)
    await system.admin.admin.eraseLearner({ agent: JSON.stringify(actor) })
    expect(await found(everything, id!)).toBe(false)
    expect((await page(everything, { limit: 100 })).ids).not.toContain(id)
    const other = await system.game([Scope.ALL_READ])
    await pair.resume()
    await inUse()
    await expect.poll(() => isRead(() => page(other))).toBe(true)
    await pair.pause()
    await system.admin.identity.rotateCredential({ key: other.key })
    expect((await other.xapi().get({})).status).toBe(401)
  })

  test('after 5 s it is left out, and doctor says so; when it goes on, it is asked again', async () => {
    await expect.poll(() => system.cores[0]!.store.standbys()[0]!.fault, { timeout: 60_000 }).toMatch(/s behind/)
    expect(await isRead(() => page(everything))).toBe(false)
    const { findings } = await system.admin.admin.check({})
    expect(findings.find(({ name }) => name.startsWith('standby-'))).toMatchObject({
      message: expect.stringMatching(/^is not asked: it is \d+ s behind$/),
    })
    await pair.resume()
    await inUse()
  })
})

test('a write on a standby says what the cause is', async () => {
  const database = openDatabase({ url: pair.standby.url, connections: 1, wait: 5_000, statementTimeout: 5_000 })
  const write = database.run(sql('')`update placement set changes = changes`, [])
  await expect(write).rejects.toThrow('because its database is a standby')
  await database.close()
})

const loads = [
  { rounds: 1, roundMs: 500, tags: [] },
  { rounds: 4, roundMs: 2_000, tags: 'long' },
]
for (const { tags, ...load } of loads)
  test(
    `a standby lags, pauses, cancels, falls silent and dies ${load.rounds} times, under 8 writers and 4 followers`,
    { tags, timeout: 1_200_000 },
    async () => {
      await inUse()
      const before = counts()
      const { complaints, ...figures } = await loadBesideStandby(system, pair, { writers: 8, ...load })
      if (tags === 'long') process.stdout.write(`${JSON.stringify({ ...figures, before, after: counts() })}\n`)
      expect(complaints).toEqual([])
      expect(counts().standby).toBeGreaterThan(before.standby)
    },
  )

test('of two cells it answers both; while it is paused nothing is missing, also of a game that moves', async () => {
  await pair.resume()
  await system.admin.cells.addCell({})
  const other = await system.game()
  const storeOther = async (count: number): Promise<string[]> =>
    (await other.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(statements(count))) })).ids
  const moved = await store(statements(2))
  const sent = [...moved, ...(await storeOther(3))]
  expect(await pair.primary.sql('select distinct id from cell_2.statement')).toHaveLength(3)
  await inUse()
  await expect.poll(() => isRead(() => page(other)), { timeout: 60_000 }).toBe(true)
  expect((await page(everything, { limit: 5 })).ids).toEqual(sent.toReversed())
  expect((await page(other)).ids).toEqual(sent.slice(2).toReversed())

  await pair.pause()
  const [late] = await storeOther(1)
  const [there, asked] = await Promise.all([
    page(everything, { limit: 6 }),
    pair.primary.sql<{ stored: string }>('select stored from cell_2.statement where id = $1', [late]),
  ])
  if (there.ids[0] !== late) expect(BigInt(there.through)).toBeLessThan(BigInt(asked[0]!.stored))
  expect((await page(other)).ids[0]).toBe(late)
  await system.admin.cells.moveGame({ gameId: game.id, cell: 2 })
  // the standby has none of them in the new cell
  expect((await page(game, { limit: 2 })).ids).toEqual(moved.toReversed())
  expect((await page(everything, { limit: 6 })).ids).toEqual(expect.arrayContaining(sent.slice(1)))

  await pair.resume()
  await inUse()
  expect((await page(game, { limit: 2 })).ids).toEqual(moved.toReversed())
  // it may answer from before the newest statement, as long as it says so
  await expect.poll(async () => (await page(everything, { limit: 6 })).ids).toEqual([late, ...sent.toReversed()])
})
