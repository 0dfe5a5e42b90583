import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ForwardState } from '../../gen/lrs/v1/forwards_pb.js'
import { forwards as limits } from '../../shared/limits.ts'
import type { Game } from '../support/games.ts'
import { statements } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs, type Got, type TargetLrs } from '../support/target-lrs.ts'

// a store may answer 500 to a whole request because of one statement that it cannot bear
let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, forwardMs: 50 })
})
afterAll(() => system.close())

const patient = { timeout: 30_000, interval: 50 }
const send = (game: Game, list: object[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)
const sizes = (target: TargetLrs) => target.posts().map((post) => post.statements.length)
const answers500To =
  (bad: ReadonlySet<string>) =>
  ({ statements }: Got) =>
    statements.some(({ id }) => bad.has(id)) ? { status: 500, text: 'integer out of range' } : undefined

async function forward(game: Game, { endpoint }: Pick<TargetLrs, 'endpoint'>) {
  const { forward } = await system.admin.forwards.addForward({
    gameId: game.id,
    settings: { name: 'Partner', endpoint, version: '1.0.3' },
    since: '2000-01-01T00:00:00Z',
  })
  const { forwardId } = forward!
  const get = () => system.admin.forwards.getForward({ forwardId })
  const state = async () => (await get()).forward!
  /** Makes attempts without the pauses between them, until there were so many failures in a row. */
  async function failed(times: number): Promise<void> {
    for (let n = 0; n <= times; n++) {
      await vi.waitFor(async () => expect((await state()).failures).toBeGreaterThanOrEqual(n), patient)
      if (n < times) await now()
    }
  }
  const now = () => system.database.sql('update forward set next_attempt = now() where uuid = $1', [forwardId])
  return { forwardId, get, state, failed, now }
}

test('a statement that is answered with 500 each time is found and set aside, and all others go on', async () => {
  const game = await system.game()
  const list = statements(60)
  const bad = new Set([list[0]!.id, list[7]!.id, list[49]!.id])
  const target = await targetLrs(answers500To(bad))
  await send(game, list)
  const { get, state, failed, now } = await forward(game, target)
  await failed(limits.serverErrors)
  // the whole batch each time, and nothing is set aside
  expect(sizes(target)).toEqual(Array(limits.serverErrors).fill(50))
  expect(await state()).toMatchObject({ state: ForwardState.FAILING, sent: 0n, setAside: 0n })
  await now()
  const good = idsOf(list).filter((id) => !bad.has(id))
  await vi.waitFor(() => expect(target.ids()).toEqual(good), patient)
  await vi.waitFor(async () => expect(await state()).toMatchObject({ sent: 57n, setAside: 3n, failures: 0 }), patient)
  const { setAside } = await get()
  expect(new Set(setAside.map(({ statementId }) => statementId))).toEqual(bad)
  expect(setAside.map(({ reason }) => reason)).toEqual(Array(3).fill('500: integer out of range'))
  expect(new Set(target.times.values())).toEqual(new Set([1]))
  const more = statements(2)
  await send(game, more)
  await vi.waitFor(() => expect(target.ids()).toEqual([...good, ...idsOf(more)]), patient)
})

test('a target that answers everything with 500 is ill: nothing is set aside, and all goes later', async () => {
  const game = await system.game()
  const list = statements(6)
  const target = await targetLrs(({ method }) => (method === 'POST' ? { status: 500 } : undefined))
  await send(game, list)
  const { state, failed, now } = await forward(game, target)
  await failed(limits.serverErrors + 2)
  // it was looked for, and told by none
  expect(sizes(target).slice(limits.serverErrors)).toContain(1)
  expect(await state()).toMatchObject({ state: ForwardState.FAILING, sent: 0n, setAside: 0n })
  target.how.answer = () => undefined
  await now()
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(list)), patient)
  expect(new Set(target.times.values())).toEqual(new Set([1]))
})

test('a single one that is answered with 500 waits for another one that is taken', async () => {
  const game = await system.game()
  const [bad, good] = statements(2)
  const target = await targetLrs(answers500To(new Set([bad.id])))
  await send(game, [bad])
  const { state, failed, now } = await forward(game, target)
  await failed(limits.serverErrors + 1)
  expect(await state()).toMatchObject({ sent: 0n, setAside: 0n })
  await send(game, [good])
  await now()
  await vi.waitFor(async () => expect(await state()).toMatchObject({ sent: 1n, setAside: 1n, failures: 0 }), patient)
  expect(target.ids()).toEqual([good.id])
})

test.each([502, 503, 504])('other answers, such as %d, are not about a statement, and end the row', async (status) => {
  const game = await system.game()
  const list = statements(4)
  const target = await targetLrs(answers500To(new Set([list[1]!.id])))
  await send(game, list)
  const { state, failed } = await forward(game, target)
  await failed(limits.serverErrors - 1)
  target.how.answer = () => ({ status })
  await failed(limits.serverErrors)
  target.how.answer = answers500To(new Set([list[1]!.id]))
  await failed(limits.serverErrors + 4)
  expect(new Set(sizes(target))).toEqual(new Set([4]))
  expect(await state()).toMatchObject({ sent: 0n, setAside: 0n })
})

test('sent once more, it stays set aside and holds up nothing', async () => {
  const game = await system.game()
  const list = statements(3)
  const bad = new Set([list[1]!.id])
  const target = await targetLrs(answers500To(bad))
  await send(game, list)
  const { forwardId, get, state, failed, now } = await forward(game, target)
  await failed(limits.serverErrors)
  await now()
  await vi.waitFor(async () => expect(await state()).toMatchObject({ sent: 2n, setAside: 1n, failures: 0 }), patient)
  await system.admin.forwards.retrySetAside({ forwardId })
  await vi.waitFor(async () => expect((await state()).failures).toBe(1), patient)
  const [more] = statements(1)
  await send(game, [more])
  await now()
  await vi.waitFor(() => expect(target.ids()).toEqual([list[0]!.id, list[2]!.id, more!.id]), patient)
  expect((await get()).setAside).toMatchObject([{ statementId: list[1]!.id, reason: '500: integer out of range' }])
  target.how.answer = () => undefined
  await system.admin.forwards.retrySetAside({ forwardId })
  await vi.waitFor(async () => expect(await state()).toMatchObject({ sent: 4n, setAside: 0n }), patient)
  await pause(100)
  expect(target.times.get(list[1]!.id)).toBe(1)
})
