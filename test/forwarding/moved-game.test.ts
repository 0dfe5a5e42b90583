import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { writePatiently } from '../support/follower.ts'
import { statements } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, forwardMs: 50 })
  await system.admin.cells.addCell({})
})
afterAll(() => system.close())

test('a game moves between cells while it is written and forwarded: nothing is missed, each goes once', async () => {
  const game = await system.game()
  const target = await targetLrs()
  target.how.wait = 20
  const before = statements(300)
  for (const part of [before.slice(0, 150), before.slice(150)])
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(part)) })
  const { forward } = await system.admin.forwards.addForward({
    gameId: game.id,
    settings: { name: 'Partner', endpoint: target.endpoint, version: '1.0.3' },
    since: '2000-01-01T00:00:00Z',
  })
  const { forwardId } = forward!
  const get = async () => (await system.admin.forwards.getForward({ forwardId })).forward!
  await vi.waitFor(() => expect(target.posts().length).toBeGreaterThan(0), { timeout: 30_000 })
  const cell = async () =>
    (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [game.id]))[0]!.cell
  const acknowledged = before.map(({ id }) => id)
  let isOver = false
  const writing = [0, 1].map(async (writer) => {
    while (!isOver) acknowledged.push(...(await writePatiently(game.rpc(writer), writer, performance.now() + 50)))
  })
  try {
    for (let move = 0; move < 4; move++) {
      const from = await cell()
      const seen = target.kept.size
      await system.admin.cells.moveGame({ gameId: game.id, cell: 3 - from })
      expect(await cell()).toBe(3 - from)
      // it goes on from the new cell
      await vi.waitFor(() => expect(target.kept.size).toBeGreaterThan(seen), { timeout: 30_000 })
      await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
      while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
    }
  } finally {
    isOver = true
    await Promise.all(writing)
  }
  await vi.waitFor(
    async () => {
      await system.database.sql('update forward set next_attempt = now() where uuid = $1 and leased is null', [
        forwardId,
      ])
      expect(target.kept.size).toBeGreaterThanOrEqual(acknowledged.length)
    },
    { timeout: 30_000, interval: 100 },
  )
  expect(acknowledged.filter((id) => !target.kept.has(id))).toEqual([])
  expect(new Set(target.times.values())).toEqual(new Set([1]))
  // what is stored, in the order in which it was; a busy machine may have stored what it did not acknowledge
  const table = (await cell()) === 1 ? 'statement' : 'cell_2.statement'
  const stored = await system.database.sql<{ id: string }>(
    `select s.id from ${table} s join tenant t on t.game = s.game where t.uuid = $1 order by stored`,
    [game.id],
  )
  expect(target.ids()).toEqual(stored.map(({ id }) => id))
  // counted when the target has answered
  await expect.poll(get).toMatchObject({ sent: BigInt(stored.length), setAside: 0n })
})
