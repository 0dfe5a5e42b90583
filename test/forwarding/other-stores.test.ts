import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ForwardState } from '../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../support/games.ts'
import { statement, statements, verb } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs, type TargetLrs } from '../support/target-lrs.ts'

// what other stores do that follow the specification less closely; Ralph is one of them
let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, forwardMs: 50 })
})
afterAll(() => system.close())

const patient = { timeout: 30_000, interval: 50 }
const send = (game: Game, list: object[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)
const settingsFor = ({ endpoint }: Pick<TargetLrs, 'endpoint'>) => ({ name: 'Partner', endpoint, version: '1.0.3' })

async function forward(game: Game, target: Pick<TargetLrs, 'endpoint'>) {
  const { forward } = await system.admin.forwards.addForward({
    gameId: game.id,
    settings: settingsFor(target),
    credential: { kind: { case: 'bearer', value: 'token-that-nobody-sees' } },
    since: '2000-01-01T00:00:00Z',
  })
  const { forwardId } = forward!
  const get = () => system.admin.forwards.getForward({ forwardId })
  return { forwardId, get, state: async () => (await get()).forward! }
}

test.each([
  ['only those that it did not have', (ids: string[]) => ids.slice(2)],
  ['in capitals and another order', (ids: string[]) => ids.map((id) => id.toUpperCase()).toReversed()],
  ['none', () => []],
])('200 with ids of the batch is enough: %s', async (_, answered) => {
  const game = await system.game()
  const target = await targetLrs(({ method, statements }) =>
    method === 'POST' ? { status: 200, text: JSON.stringify(answered(idsOf(statements))) } : undefined,
  )
  await send(game, statements(5))
  const { state } = await forward(game, target)
  await vi.waitFor(async () => expect(await state()).toMatchObject({ sent: 5n, behindSeconds: 0n }), patient)
  expect(await state()).toMatchObject({ state: ForwardState.RUNNING, problem: '', setAside: 0n })
  expect(target.posts()).toHaveLength(1)
})

test.each([
  ['an id of another statement', (ids: string[]) => [...ids, '00000000-0000-4000-8000-000000000000']],
  ['numbers', () => [1]],
  ['an object', () => ({})],
  ['null', () => null],
])('200 with anything else is a failure: %s', async (_, answered) => {
  const game = await system.game()
  const target = await targetLrs(({ method, statements }) =>
    method === 'POST' ? { status: 200, text: JSON.stringify(answered(idsOf(statements))) } : undefined,
  )
  await send(game, statements(2))
  const { state } = await forward(game, target)
  await vi.waitFor(async () => expect((await state()).problem).toContain('not with a list of ids'), patient)
  expect(await state()).toMatchObject({ state: ForwardState.FAILING, sent: 0n, setAside: 0n })
})

test('a test goes on without /about, and says so when there are no statements either', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const ask = async () =>
    (await system.admin.forwards.testForward({ gameId: game.id, settings: settingsFor(target) })).problem
  for (const status of [404, 405]) {
    target.how.answer = ({ url }) => (url.endsWith('/about') ? { status } : undefined)
    expect(await ask()).toBe('')
    expect(target.requests.at(-1)!.url).toBe('/xapi/statements?limit=1')
    target.how.answer = () => ({ status })
    expect(await ask()).toMatch(new RegExp(`/xapi/statements answered ${status}.*Is this the xAPI endpoint`))
    target.how.answer = ({ url }) => ({ status: url.endsWith('/about') ? status : 401 })
    expect(await ask()).toContain('401 (the credential is wrong)')
    target.how.answer = ({ url }) => (url.endsWith('/about') ? { status } : { status: 200, text: '<p>Welcome</p>' })
    expect(await ask()).toContain('with no statements. Is this the xAPI endpoint?')
  }
  target.how.answer = ({ url }) => (url.endsWith('/about') ? { status: 500 } : undefined)
  expect(await ask()).toContain('/about answered 500')
  expect(target.posts()).toEqual([])
})

test('after 409, the statement of an id may come in a list', async () => {
  const game = await system.game()
  const [same, other, none] = statements(3)
  const target = await targetLrs(({ method, url }) => {
    if (method === 'POST') return { status: 409 }
    const id = new URL(url, 'http://target').searchParams.get('statementId')
    if (id === same.id) return { status: 200, text: JSON.stringify({ statements: [same] }) }
    if (id === other.id)
      return { status: 200, text: JSON.stringify({ statements: [{ ...other, verb: verb('lost') }] }) }
    return { status: 200, text: '{"statements":[]}' }
  })
  await send(game, [same, other, none])
  const { get } = await forward(game, target)
  await vi.waitFor(async () => expect((await get()).forward).toMatchObject({ sent: 1n, setAside: 2n }), patient)
  const { setAside } = await get()
  expect(new Set(setAside.map(({ statementId }) => statementId))).toEqual(new Set([other.id, none.id]))
})

test('a target that takes no connection is asked again within two minutes, another failure waits longer', async () => {
  const game = await system.game()
  const target = await targetLrs(() => 'cut')
  await send(game, [statement()])
  const { forwardId, state } = await forward(game, target)
  await vi.waitFor(async () => expect((await state()).failures).toBeGreaterThan(0), patient)
  const after = async (failures: number) => {
    const again = 'update forward set failures = $2, next_attempt = now() where uuid = $1'
    await system.database.sql(again, [forwardId, failures])
    await vi.waitFor(async () => expect((await state()).failures).toBe(failures + 1), patient)
    return Number((await state()).nextAttempt) - Date.now() / 1000
  }
  // the connection breaks off, then nobody listens
  expect(await after(20)).toBeLessThanOrEqual(301)
  target.how.answer = () => ({ status: 503 })
  expect(await after(30)).toBeGreaterThan(1_000)
  target.close()
  expect(await after(40)).toBeLessThanOrEqual(301)
  expect((await state()).problem).toContain('gave no answer over HTTP')
})
