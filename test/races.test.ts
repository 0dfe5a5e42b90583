import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from './support/games.ts'
import { isLinearizable, type Call } from './support/linearizable.ts'
import { activity, player } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import { random, type Random } from './torture/random.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
  game = await system.game()
})
afterAll(() => system.close())

/** A document: its members in their order; null: there is none. */
type State = string | null

const merged = (state: State, key: string): string =>
  JSON.stringify({ ...(state === null ? {} : JSON.parse(state)), [key]: 1 })

/** A client that does things to one document, now and then knowing what it saw last. */
async function client(draw: Random, stateId: string, n: number, calls: Call<State>[]): Promise<void> {
  const xapi = game.xapi(n % 2)
  let seen: { etag: string; text: string } | undefined
  for (let count = 0; count < 9; count++) {
    const [key, how] = [
      `c${n}-${count}`,
      draw.of(['get', 'get', 'put', 'put', 'create', 'merge', 'merge', 'delete'] as const),
    ]
    const query = { activityId: activity('race').id, agent: player('ann'), stateId }
    const began = performance.now()
    const call = (method: string, body?: object, headers: Record<string, string> = {}) =>
      xapi.request(method, 'activities/state', { query, body, headers })
    const note = (what: string, apply: Call<State>['apply']) =>
      calls.push({ began, ended: performance.now(), what, apply })
    if (how === 'get') {
      const { status, text, headers } = await call('GET')
      seen = status === 200 ? { etag: headers.get('etag')!, text } : undefined
      const told = seen?.text ?? null
      note(`get ${told}`, (state) => (state === told ? state : undefined))
    } else if (how === 'put' && seen) {
      const [{ etag, text }, body] = [seen, { [key]: 1 }]
      const { status } = await call('PUT', body, { 'if-match': etag })
      const [is, after] = [status === 204, JSON.stringify(body)]
      expect([204, 412]).toContain(status)
      note(`put over ${text}: ${status}`, (state) => ((state === text) === is ? (is ? after : state) : undefined))
    } else if (how === 'create') {
      const { status } = await call('PUT', { [key]: 1 }, { 'if-none-match': '*' })
      const is = status === 204
      expect([204, 412]).toContain(status)
      note(`create: ${status}`, (state) =>
        (state === null) === is ? (is ? JSON.stringify({ [key]: 1 }) : state) : undefined,
      )
    } else if (how === 'delete') {
      expect((await call('DELETE')).status).toBe(204)
      note('delete', () => null)
    } else {
      expect((await call('POST', { [key]: 1 })).status).toBe(204)
      note(`merge ${key}`, (state) => merged(state, key))
    }
  }
}

test('PUT under If-Match and If-None-Match, merges, DELETE and GET over two cores: one order explains what everybody was told', async () => {
  const draw = random(2026)
  for (let round = 0; round < 12; round++) {
    const calls: Call<State>[] = []
    await Promise.all(Array.from({ length: 5 }, (_, n) => client(draw.fork(round * 10 + n), `doc-${round}`, n, calls)))
    const story = () =>
      calls
        .toSorted((a, b) => a.began - b.began)
        .map(({ began, ended, what }) => `${began.toFixed(2)} to ${ended.toFixed(2)}: ${what}`)
        .join('\n')
    expect(isLinearizable<State>(calls, null, String), `no order explains\n${story()}`).toBe(true)
  }
})

test('a history that no order explains is seen', () => {
  const put = (began: number, ended: number): Call<State> => ({
    began,
    ended,
    what: 'create',
    apply: (state) => (state === null ? '1' : undefined),
  })
  const get = (began: number, ended: number, told: State): Call<State> => ({
    began,
    ended,
    what: 'get',
    apply: (state) => (state === told ? state : undefined),
  })
  expect(isLinearizable<State>([put(0, 2), get(1, 3, null), get(4, 5, '1')], null, String)).toBe(true)
  expect(isLinearizable<State>([put(0, 2), get(3, 4, null)], null, String)).toBe(false)
  expect(isLinearizable<State>([put(0, 2), put(1, 3)], null, String)).toBe(false)
})
