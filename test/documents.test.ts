import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSystem, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import { activity, player } from './support/statements.ts'
import type { Query, Reply, RequestOptions, XapiClient } from './support/xapi.ts'
import { connectionTo } from './support/database.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
  game = await system.game()
})
afterAll(() => system.close())

let counter = 0
const fresh = (name: string) => `${name}-${counter++}`
const times = (status: number, replies: Reply[]) => replies.filter((reply) => reply.status === status).length

/** Documents of one new scope of a kind, through one of the gateways. */
function scopeOf(kind: Kind, client: XapiClient = game.xapi()) {
  const scope = kind.scope()
  const on = (xapi: XapiClient) => {
    const send = (method: string, id: string | undefined, options: RequestOptions = {}) =>
      xapi.request(method, kind.path, { ...options, query: { ...scope, [kind.id]: id, ...options.query } })
    /** A busy machine may refuse some of many requests at once; like other clients, it sends these again. */
    const call = async (...request: Parameters<typeof send>): Promise<Reply> => {
      for (let tried = 1; ; tried++) {
        const reply = await send(...request)
        if (reply.status !== 503 || tried === 20) return reply
        await sleep(200)
      }
    }
    return {
      put: (id: string, body: unknown, headers?: RequestOptions['headers']) => call('PUT', id, { body, headers }),
      post: (id: string, body: unknown, headers?: RequestOptions['headers']) => call('POST', id, { body, headers }),
      get: (id: string) => call('GET', id),
      head: (id: string) => call('HEAD', id),
      list: (query?: Query) => call('GET', undefined, { query }),
      remove: (id?: string, headers?: RequestOptions['headers']) => call('DELETE', id, { headers }),
      call,
    }
  }
  return { ...on(client), on, scope }
}

interface Kind {
  path: string
  id: 'stateId' | 'profileId'
  scope(): Query
}

const state: Kind = {
  path: 'activities/state',
  id: 'stateId',
  scope: () => ({ activityId: activity(fresh('a')).id, agent: player('ann') }),
}
const activityProfile: Kind = {
  path: 'activities/profile',
  id: 'profileId',
  scope: () => ({ activityId: activity(fresh('a')).id }),
}
const agentProfile: Kind = {
  path: 'agents/profile',
  id: 'profileId',
  scope: () => ({ agent: player(fresh('learner')) }),
}

describe.each([state, activityProfile, agentProfile])('documents at $path', (kind) => {
  test('are put, read with their type and ETag, replaced, listed and deleted', async () => {
    const { put, get, head, list, remove } = scopeOf(kind)
    expect((await get('one')).status).toBe(404)
    expect((await list()).json).toEqual([])
    expect((await put('one', '{"a":1}')).status).toBe(204)
    const reply = await get('one')
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([200, '{"a":1}', 'application/json'])
    expect(reply.headers.get('etag')).toBe(`"${createHash('sha1').update('{"a":1}').digest('hex')}"`)
    expect((await put('one', 'plain', { 'content-type': 'text/plain; charset=utf-8' })).status).toBe(204)
    const headers = await head('one')
    expect([headers.status, headers.text, headers.headers.get('content-length')]).toEqual([200, '', '5'])
    expect(headers.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    await put('two', '{}')
    expect((await list()).json).toEqual(['one', 'two'])
    expect((await remove('one')).status).toBe(204)
    expect((await remove('one')).status).toBe(204)
    expect((await list()).json).toEqual(['two'])
    expect((await remove()).status).toBe(204)
    expect((await list()).json).toEqual([])
    expect((await remove()).status).toBe(204)
  })

  test('come back byte for byte, whatever they hold, and are no page to a browser', async () => {
    const { put, get } = scopeOf(kind)
    const contents: [Buffer, string][] = [
      [Buffer.alloc(0), 'application/octet-stream'],
      [Buffer.alloc(1000), 'application/octet-stream'],
      [randomBytes(5_000), 'image/png'],
      [Buffer.from('<script>alert(1)</script>'), 'text/html'],
      [Buffer.from('{ "a" : 1e400, "a": 1 }'), 'text/plain'],
      [Buffer.from([0xef, 0xbb, 0xbf, 0xff]), 'text/plain'],
    ]
    for (const [content, type] of contents) {
      expect((await put('x', content, { 'content-type': type })).status).toBe(204)
      const { bytes, headers } = await get('x')
      expect(bytes.equals(content)).toBe(true)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain('sandbox')
      expect(headers.get('content-disposition')).toBe('attachment')
    }
  })

  test('may be 524,288 bytes; one more is 413, also when a merge makes it', async () => {
    const { put, post, get } = scopeOf(kind)
    const largest = randomBytes(524_288)
    expect((await put('x', largest, { 'content-type': 'image/png' })).status).toBe(204)
    expect((await get('x')).bytes.equals(largest)).toBe(true)
    for (const body of [
      Buffer.alloc(524_289),
      new ReadableStream({ start: (to) => (to.enqueue(Buffer.alloc(524_289)), to.close()) }),
    ]) {
      const reply = await put('x', body)
      expect([reply.status, reply.json]).toEqual([413, { error: 'Request body too large' }])
    }
    await put('json', `{"a":"${'x'.repeat(300_000)}"}`)
    expect((await post('json', `{"b":"${'x'.repeat(300_000)}"}`)).status).toBe(413)
    expect((await get('json')).bytes.length).toBe(300_008)
  })

  test('have ids of any text of up to 4 KB', async () => {
    const { put, get, list, remove } = scopeOf(kind)
    const ids = [
      '../x',
      '..',
      '/',
      '😀',
      'ä ö?&=#+%',
      'a\nb',
      '\u202e',
      "'; drop table document; --",
      '__proto__',
      'x'.repeat(4_096),
    ]
    for (const id of ids) expect((await put(id, JSON.stringify({ id }))).status).toBe(204)
    for (const id of ids) expect((await get(id)).json).toEqual({ id })
    expect((await list()).json).toEqual(ids)
    for (const id of ['\0', 'x'.repeat(4_097)]) {
      const reply = await put(id, '{}')
      expect(reply.status).toBe(400)
      expect(reply.json.message).toContain(kind.id)
    }
    expect((await remove('../x')).status).toBe(204)
    expect((await list()).json).toEqual(ids.slice(1))
  })

  test('are merged by POST, lexically exact, with __proto__ as data', async () => {
    const { put, post, get } = scopeOf(kind)
    expect((await post('new', '{"a": 1.0}')).status).toBe(204)
    expect((await get('new')).text).toBe('{"a": 1.0}')
    expect((await post('new', '{"b":1e400,"__proto__":{"polluted":1}}')).status).toBe(204)
    expect((await post('new', '{"a":{"deep":2},"c":-0}')).status).toBe(204)
    const { text, json } = await get('new')
    for (const part of ['1e400', '-0', '"__proto__":{"polluted":1}', '{"deep":2}']) expect(text).toContain(part)
    expect(Object.keys(json).sort()).toEqual(['__proto__', 'a', 'b', 'c'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    for (const body of ['[1]', '7', '"x"', 'null', '{"a":', '', '{"a":1,"a":2}']) {
      expect((await post('new', body)).status, body).toBe(400)
      expect((await post('other', body)).status, body).toBe(400)
    }
    expect((await get('other')).status).toBe(404)
    await put('text', 'hello', { 'content-type': 'text/plain' })
    expect((await post('text', '{"a":1}')).status).toBe(400)
    expect((await post('new', '{"a":1}', { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await get('text')).text).toBe('hello')
    expect((await get('new')).text).toBe(text)
  })

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

  test('are listed by the time of their last change, and none is missed at its edge', async () => {
    const { put, list } = scopeOf(kind)
    const ids = Array.from({ length: 20 }, (_, n) => `doc-${n}`)
    await Promise.all(ids.map((id) => put(id, '{}')))
    const rows = await system.database.sql<{ id: string; updated: string }>(
      'select id, updated from document where scope = (select scope from document where id = $1 order by updated ' +
        'desc limit 1) order by updated',
      ['doc-7'],
    )
    expect(rows).toHaveLength(20)
    for (const [n, { updated }] of rows.entries()) {
      const micros = Number(updated)
      const since = `${new Date(Math.floor(micros / 1000))
        .toISOString()
        .slice(0, 23)}${String(micros % 1000).padStart(3, '0')}Z`
      expect((await list({ since })).json).toEqual(rows.slice(n + 1).map(({ id }) => id))
    }
    expect((await list({ since: 'yesterday' })).status).toBe(400)
  })

  test('need their parameters, and know no others', async () => {
    const { scope, call } = scopeOf(kind)
    for (const name of Object.keys(scope)) {
      const reply = await call('PUT', 'x', { body: '{}', query: { [name]: undefined } })
      expect(reply.status).toBe(400)
      expect(reply.json.message).toContain(name)
    }
    expect((await call('PUT', undefined, { body: '{}' })).json.message).toContain(kind.id)
    expect((await call('GET', 'x', { query: { verb: 'x' } })).status).toBe(400)
    if ('agent' in scope)
      expect((await call('GET', 'x', { query: { agent: { objectType: 'Agent' } } })).json.message).toContain('agent')
    if ('activityId' in scope)
      expect((await call('GET', 'x', { query: { activityId: 'chess' } })).json.message).toContain('activityId')
  })

  test('with a Content-Type that no header can hold are refused, over RPC too', async () => {
    const { documents } = game.rpc()
    const scope = { kind: { case: 'activityProfile', value: { activityId: activity('types').id } } } as const
    for (const contentType of [
      'a/b\r\nX-Evil: 1',
      'a/b\n',
      'a/b\0',
      'text/plain; name=😀',
      '',
      'ÿ'.repeat(9),
      `a/${'b'.repeat(300)}`,
    ]) {
      const error = await documents
        .putDocument({ scope, id: 'x', content: Buffer.from('x'), contentType })
        .then(() => undefined, ConnectError.from)
      expect(error?.code, contentType).toBe(Code.InvalidArgument)
    }
  })

  test('have a Content-Type of up to 256 characters of ASCII, by the same rule over HTTP and RPC', async () => {
    const { documents } = game.rpc()
    const { put, get } = scopeOf(kind)
    const scope = { kind: { case: 'activityProfile', value: { activityId: activity('types').id } } } as const
    const longest = `text/${'b'.repeat(251)}`
    expect((await put('longest', 'x', { 'content-type': longest })).status).toBe(204)
    expect((await get('longest')).headers.get('content-type')).toBe(longest)
    for (const contentType of [`${longest}b`, `text/${'b'.repeat(1_100)}`, 'text/plain; name=ÿ']) {
      const reply = await put('x', 'x', { 'content-type': contentType })
      const error = await documents
        .putDocument({ scope, id: 'x', content: Buffer.from('x'), contentType })
        .then(() => undefined, ConnectError.from)
      const message = 'Content-Type: must be a media type of 1 to 256 printable ASCII characters'
      expect([reply.status, reply.json.message, error?.rawMessage]).toEqual([400, message, message])
    }
  })
})

describe('state', () => {
  test('is apart by registration; lists and deletes without one mean all', async () => {
    const { call, list, remove } = scopeOf(state)
    const registrations = ['33333333-0000-4000-8000-000000000001', '33333333-0000-4000-8000-000000000002']
    await call('PUT', 'x', { body: { none: true } })
    for (const registration of registrations)
      await call('PUT', 'x', { body: { registration }, query: { registration } })
    expect((await call('GET', 'x')).json).toEqual({ none: true })
    for (const registration of registrations)
      expect((await call('GET', 'x', { query: { registration: registration.toUpperCase() } })).json).toEqual({
        registration,
      })
    expect((await list()).json).toEqual(['x'])
    await call('DELETE', undefined, { query: { registration: registrations[0] } })
    expect((await call('GET', 'x', { query: { registration: registrations[0] } })).status).toBe(404)
    expect((await call('GET', 'x', { query: { registration: registrations[1] } })).status).toBe(200)
    await remove()
    expect((await call('GET', 'x', { query: { registration: registrations[1] } })).status).toBe(404)
  })

  test('of one game is not that of another', async () => {
    const own = scopeOf(state)
    const others = own.on((await system.game()).xapi())
    await own.put('x', { mine: true })
    expect((await others.get('x')).status).toBe(404)
    expect((await others.list()).json).toEqual([])
    await others.put('x', { mine: false })
    await others.remove()
    expect((await own.get('x')).json).toEqual({ mine: true })
  })

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

describe('profiles', () => {
  test.each([activityProfile, agentProfile])('at $path are shared by all games', async (kind) => {
    const own = scopeOf(kind)
    const others = own.on((await system.game()).xapi())
    await own.put('x', { from: 'here' })
    expect((await others.get('x')).json).toEqual({ from: 'here' })
    expect((await others.remove('x')).status).toBe(204)
    expect((await own.get('x')).status).toBe(404)
  })

  test('of an agent are found by any form of its JSON', async () => {
    const xapi = game.xapi()
    const name = fresh('learner')
    const put = await xapi.request('PUT', 'agents/profile', {
      query: { agent: player(name), profileId: 'x' },
      body: { a: 1 },
    })
    expect(put.status).toBe(204)
    const agent = { name: 'Somebody', account: { name, homePage: player(name).account!.homePage } }
    expect((await xapi.request('GET', 'agents/profile', { query: { agent, profileId: 'x' } })).json).toEqual({ a: 1 })
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
