import { createHash, randomBytes } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activity } from '../support/statements.ts'
import { activityProfile, agentProfile, startDocuments, state, type Documents } from './documents.ts'

let { system, game, scopeOf } = {} as Documents
beforeAll(async () => {
  ;({ system, game, scopeOf } = await startDocuments())
})
afterAll(() => system.close())

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

  test('have a Content-Type of up to 256 characters of ASCII, by the same rule and words over HTTP and RPC', async () => {
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
