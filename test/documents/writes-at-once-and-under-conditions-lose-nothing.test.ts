import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Reply, RequestOptions } from '../support/xapi.ts'
import { connectionTo } from '../support/database.ts'
import { activityProfile, agentProfile, startDocuments, state, times, type Documents } from './documents.ts'

let { system, game, scopeOf } = {} as Documents
beforeAll(async () => {
  ;({ system, game, scopeOf } = await startDocuments())
})
afterAll(() => system.close())

describe.each([state, activityProfile, agentProfile])('documents at $path', (kind) => {
  test('50 merges of different keys at once, over two cores, all survive', async () => {
    const scope = scopeOf(kind)
    const [one, two] = [scope.on(game.xapi(0)), scope.on(game.xapi(1))]
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 ? one : two).post('x', { [`key-${n}`]: n })),
    )
    expect(times(204, replies)).toBe(50)
    expect((await one.get('x')).json).toEqual(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, n])))
  })

  test('100 PUTs with the same ETag over two cores: exactly one wins', async () => {
    const scope = scopeOf(kind)
    const [one, two] = [scope.on(game.xapi(0)), scope.on(game.xapi(1))]
    const race = (headers: (n: number) => RequestOptions['headers']) =>
      Promise.all(
        Array.from({ length: 100 }, (_, n) => (n % 2 ? one : two).put('x', { by: n, salt: Math.random() }, headers(n))),
      )
    const created = await race(() => ({ 'if-none-match': '*' }))
    expect([times(204, created), times(412, created)]).toEqual([1, 99])
    for (let round = 0; round < 3; round++) {
      const etag = (await one.get('x')).headers.get('etag')!
      const replies = await race(() => ({ 'if-match': etag }))
      expect([times(204, replies), times(412, replies)]).toEqual([1, 99])
      expect((await two.get('x')).json.by).toBe(replies.findIndex(({ status }) => status === 204))
    }
  })

  test('many at once: each is written, read and removed under its own conditions, byte for byte', async () => {
    const xapi = game.xapi(0)
    const all = Array.from({ length: 60 }, (_, n) => {
      const content = randomBytes([0, 1, 900, 70_000, 300_000][n % 5]!)
      return {
        ...scopeOf(kind, xapi),
        id: `“${n}” \\ "{,}" ä😀`,
        content,
        type: n % 3 ? 'image/png' : 'text/plain; x="a,b\\c"',
      }
    })
    const put = await Promise.all(
      all.map(({ put, id, content, type }, n) =>
        put(id, content, {
          'content-type': type,
          ...(n % 2 ? { 'if-none-match': '*' } : { 'if-match': n % 4 ? '"a\\b", "c"' : '*' }),
        }),
      ),
    )
    expect(put.map(({ status }) => status)).toEqual(all.map((_, n) => (n % 2 ? 204 : 412)))
    const read = async (method: string) => Promise.all(all.map(({ call, id }) => call(method, id)))
    for (const [n, reply] of (await read('GET')).entries()) {
      const { content, type } = all[n]!
      expect(reply.status).toBe(n % 2 ? 200 : 404)
      if (n % 2) expect([reply.bytes.equals(content), reply.headers.get('content-type')]).toEqual([true, type])
    }
    expect((await read('HEAD')).map(({ headers }) => headers.get('content-length'))).toEqual(
      all.map(({ content }, n) => (n % 2 ? String(content.length) : expect.anything())),
    )
    expect((await read('DELETE')).map(({ status }) => status)).toEqual(all.map(() => 204))
    expect(times(404, await read('GET'))).toBe(60)
  })

  test('take If-Match and If-None-Match: tags, lists, weak ones and *', async () => {
    const { put, post, get, remove } = scopeOf(kind)
    expect((await put('x', '{}', { 'if-match': '*' })).status).toBe(412)
    await put('x', '{"a":1}')
    const etag = (await get('x')).headers.get('etag')!
    expect((await put('x', '{}', { 'if-match': '"0000"' })).status).toBe(412)
    expect((await put('x', '{}', { 'if-none-match': etag })).status).toBe(412)
    expect((await post('x', '{"b":1}', { 'if-match': '"0000"' })).status).toBe(412)
    expect((await remove('x', { 'if-match': '"0000"' })).status).toBe(412)
    expect((await get('x')).text).toBe('{"a":1}')
    expect((await post('x', '{"b":1}', { 'if-match': `"0000", ${etag}` })).status).toBe(204)
    expect((await put('x', '{}', { 'if-none-match': '"0000"' })).status).toBe(204)
    expect((await remove('x', { 'if-match': '*' })).status).toBe(204)
    expect((await get('x')).status).toBe(404)
  })
})

describe('state', () => {
  test('that another session holds delays no other document of its group', async () => {
    const scopes = Array.from({ length: 20 }, () => scopeOf(state, game.xapi(0)))
    await scopes[7]!.put('held', 'before')
    const holder = await connectionTo(system.database.url)
    onTestFinished(() => holder.end())
    await holder.query("begin; select from document where id = 'held' for update")
    let held: Reply | undefined
    const all = scopes.map(({ put }) => put('held', 'after'))
    void all[7]!.then((reply) => (held = reply))
    const others = await Promise.all(all.filter((_, n) => n !== 7))
    expect([times(204, others), held]).toEqual([19, undefined])
    await holder.query('rollback')
    expect((await all[7]!).status).toBe(204)
    expect((await scopes[7]!.get('held')).text).toBe('after')
  })

  test('PUT racing DELETE of all: some order explains the outcome', async () => {
    const scope = scopeOf(state)
    const [one, two] = [scope.on(game.xapi(0)), scope.on(game.xapi(1))]
    for (let round = 0; round < 10; round++) {
      await one.put('old', { round })
      const replies = await Promise.all([one.put('a', { round }), two.remove(), two.put('b', { round }), one.remove()])
      expect(times(204, replies)).toBe(4)
      const { json } = await one.list()
      expect(json).not.toContain('old')
      for (const id of json) expect((await two.get(id)).json).toEqual({ round })
    }
  })
})

describe('version 2.0', () => {
  test.each([state, activityProfile, agentProfile])(
    'at $path: PUT on an existing document needs a condition',
    async (kind) => {
      const { put, get } = scopeOf(kind, game.xapi(0, '2.0.0'))
      expect((await put('x', '{"a":1}', { 'if-none-match': '*' })).status).toBe(204)
      expect((await put('x', '{"a":2}')).status).toBe(409)
      const reply = await get('x')
      expect(reply.text).toBe('{"a":1}')
      expect(Date.parse(reply.headers.get('last-modified')!)).toBeGreaterThan(Date.now() - 60_000)
      expect((await put('x', '{"a":2}', { 'if-match': reply.headers.get('etag')! })).status).toBe(204)
    },
  )
})
