import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSystem, type System } from './support/system.ts'
import { activity, player, statement } from './support/statements.ts'
import { basic, type XapiClient } from './support/xapi.ts'

let system: System
let clock = Date.now()
beforeAll(async () => {
  system = await startSystem({ rateLimitFactor: 1, now: () => clock })
})
afterAll(() => system.close())

/** How many of these calls are let through before the first 429; the 429 is as the interface says. */
async function allowed(call: () => ReturnType<XapiClient['get']>, upTo = 250): Promise<number> {
  for (let count = 0; count < upTo; count++) {
    const reply = await call()
    const { status, headers } = reply
    if (status !== 429) {
      expect(status).toBeLessThan(300)
      continue
    }
    expect(reply.json).toEqual({ error: 'Rate limit exceeded' })
    expect(headers.get('retry-after')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBe('*')
    return count
  }
  return upTo
}

const state =
  (xapi: XapiClient, method: string, name = 'ann') =>
  () =>
    xapi.request(method, 'activities/state', {
      query: { activityId: activity('chess').id, agent: player(name), stateId: method === 'GET' ? undefined : 'x' },
      body: 'PUT POST'.includes(method) ? {} : undefined,
    })
const activityProfile =
  (xapi: XapiClient, method: string, agent = 'x') =>
  () =>
    xapi.request(method, 'activities/profile', {
      query: { activityId: activity(agent).id, profileId: method === 'GET' ? undefined : 'x' },
      body: method === 'PUT' ? {} : undefined,
    })

describe('request limits', () => {
  test('of POST and PUT of statements are 120 a minute each, in buckets of their own; GET has none', async () => {
    const xapi = (await system.game()).xapi()
    expect(await allowed(() => xapi.post([]))).toBe(120)
    expect(await allowed(() => xapi.put(crypto.randomUUID(), statement()))).toBe(120)
    expect(await allowed(() => xapi.get({ limit: 1 }))).toBe(250)
    expect(await allowed(() => xapi.request('GET', 'about'))).toBe(250)
  })

  test('start with the first request and end in full after 60 seconds', async () => {
    const xapi = (await system.game()).xapi()
    for (let n = 0; n < 100; n++) await xapi.post([])
    clock += 59_999
    expect(await allowed(() => xapi.post([]))).toBe(20)
    clock += 1
    // the gateway repeats a refusal as long as core says, which is 1 ms here, by its own clock
    await sleep(20)
    expect(await allowed(() => xapi.post([]))).toBe(120)
  })

  test('count what launch tokens send beyond their own 12 together, and key and secret apart', async () => {
    const game = await system.game()
    const sessions = await Promise.all(
      ['ann', 'ben'].map(async (name) => game.xapi().as(await game.launch(player(name)))),
    )
    for (let n = 0; n < 72; n++) for (const session of sessions) expect((await session.post([])).status).toBe(200)
    for (const session of sessions) expect((await session.post([])).status).toBe(429)
    expect(await allowed(() => game.xapi().post([]))).toBe(120)
  })

  test('of state are 120 for PUT and POST, 240 for GET and HEAD, 120 for DELETE, for each actor', async () => {
    const xapi = (await system.game()).xapi()
    for (let n = 0; n < 20; n++) await state(xapi, 'POST')()
    expect(await allowed(state(xapi, 'PUT'))).toBe(100)
    expect((await state(xapi, 'POST')()).status).toBe(429)
    expect(await allowed(state(xapi, 'PUT', 'ben'))).toBe(120)
    expect(await allowed(state(xapi, 'GET'))).toBe(240)
    expect(await allowed(state(xapi, 'DELETE'))).toBe(120)
    expect((await state((await system.game()).xapi(), 'PUT')()).status).toBe(204)
  })

  test('of launch tokens on documents are those of their learner', async () => {
    const game = await system.game()
    const [ann, ben] = await Promise.all(
      ['ann', 'ben'].map(async (name) => game.xapi().as(await game.launch(player(name)))),
    )
    expect(await allowed(activityProfile(ann!, 'GET'))).toBe(120)
    expect(await allowed(activityProfile(ben!, 'GET'))).toBe(120)
    expect((await activityProfile(game.xapi(), 'GET')()).status).toBe(200)
  })

  test('of each kind of profile are 120 for all methods together', async () => {
    const xapi = (await system.game()).xapi()
    for (const method of ['PUT', 'GET', 'DELETE'])
      for (let n = 0; n < 40; n++) expect((await activityProfile(xapi, method, `p-${n}`)()).status).toBeLessThan(300)
    for (const method of ['PUT', 'GET', 'DELETE']) expect((await activityProfile(xapi, method)()).status).toBe(429)
    const query = { agent: player('ann') }
    expect(await allowed(() => xapi.request('GET', 'agents/profile', { query }))).toBe(120)
  })

  test('are not used up by those who cannot authenticate', async () => {
    const game = await system.game()
    for (let n = 0; n < 200; n++) expect((await game.xapi().as(basic(game.key, 'wrong')).post([])).status).toBe(401)
    expect(await allowed(() => game.xapi().post([]))).toBe(120)
  })
})
