import { randomBytes, randomUUID } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Form } from '../gen/lrs/v1/statements_pb.js'
import { processorTime } from './support/cost.ts'
import { rawRequest } from './support/raw-request.ts'
import { startSystem, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import { activity, player, statement, statements } from './support/statements.ts'
import type { XapiClient } from './support/xapi.ts'

let system: System
let game: Game
let xapi: XapiClient
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
  xapi = game.xapi()
})
afterAll(() => system.close())

const extension = 'https://example.org/e'
const MiB = 1024 * 1024
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** JSON of a statement with this text as the value of an extension. Depth there: statement, result, extensions. */
const withExtension = (json: string, id: string = randomUUID()) =>
  JSON.stringify(statement({ id, result: { extensions: { [extension]: 0 } } })).replace(
    `"${extension}":0`,
    `"${extension}":${json}`,
  )

describe('statements that are refused with a message, none of them stored', () => {
  const cases: [about: string, body: string | Buffer, says: RegExp][] = [
    ['no body', '', /JSON/],
    ['truncated JSON', JSON.stringify(statement()).slice(0, -1), /valid JSON/],
    ['two values', '[] []', /valid JSON/],
    ['a comment', '/* hi */ []', /valid JSON/],
    ['NaN', withExtension('NaN'), /valid JSON/],
    ['a leading zero', withExtension('01'), /valid JSON/],
    ['a control character in a string', withExtension('"\u0001"'), /valid JSON/],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), /UTF-8/],
    ['overlong UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]), /UTF-8/],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      /UTF-8/,
    ],
    ['UTF-16', Buffer.from(JSON.stringify(statement()), 'utf16le'), /JSON/],
    [
      'a byte order mark',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(statement()))]),
      /byte order mark/,
    ],
    ['65 levels', withExtension(nested(62)), /64 levels/],
    ['a million levels', '['.repeat(1_000_000), /64 levels/],
    ['a million levels of objects', '{"a":'.repeat(300_000), /64 levels/],
    ['a key twice', withExtension('{"a":1,"a":2}'), /\.a: must be given only once|\["a"\]: must be given only once/],
    ['a key twice, once escaped', withExtension('{"a":1,"\\u0061":2}'), /only once/],
    [
      'actor twice',
      JSON.stringify(statement()).replace('{', '{"actor":{"mbox":"mailto:eve@example.org"},'),
      /actor: must be given only once/,
    ],
    ['__proto__ as a property', JSON.stringify(statement()).replace('{', '{"__proto__":{"actor":1},'), /__proto__/],
    ['constructor as a property', JSON.stringify(statement({ constructor: {} })), /constructor/],
    ['null', 'null', /statement/i],
    ['a number', '7', /statement/i],
    ['a list in a list', `[[${JSON.stringify(statement())}]]`, /statements\[0\]/],
    ['null in a list', `[${JSON.stringify(statement())},null]`, /statements\[1\]/],
    ['30 February', JSON.stringify(statement({ timestamp: '2026-02-30T00:00:00Z' })), /timestamp/],
    ['offset -00:00', JSON.stringify(statement({ timestamp: '2026-02-03T00:00:00-00:00' })), /timestamp/],
    ['24:00', JSON.stringify(statement({ timestamp: '2026-02-03T24:00:00Z' })), /timestamp/],
    ['year 10000', JSON.stringify(statement({ timestamp: '10000-02-03T00:00:00Z' })), /timestamp/],
  ]

  test.each(cases)('%s', async (_about, body, says) => {
    const began = processorTime()
    const reply = await xapi.post(body)
    expect(processorTime() - began).toBeLessThan(1_000)
    expect(reply.status).toBe(400)
    expect(reply.json.message).toMatch(says)
    expect(reply.text).not.toMatch(/ at .*\.ts|node_modules/)
    if (body.length > 0) {
      const error = await game
        .rpc()
        .statements.storeStatements({ json: Buffer.from(body) })
        .then(() => undefined, ConnectError.from)
      expect(error?.code).toBe(Code.InvalidArgument)
      expect(error?.rawMessage).toMatch(says)
    }
  })

  test('nothing was stored', async () => expect(await xapi.all()).toEqual([]))
})

describe('what comes back byte for byte', () => {
  const values: [about: string, json: string][] = [
    ['1e400', '1e400'],
    ['1e131071', '-1e131071'],
    ['2^63', '9223372036854775808'],
    ['2^64 + 1', '18446744073709551617'],
    ['-0', '-0'],
    ['1.0', '1.0'],
    ['100 digits', `0.${'1234567890'.repeat(10)}`],
    ['an exponent', '1E+2'],
    ['\\u0000', '"a\\u0000b"'],
    ['a lone surrogate', '"\\ud800"'],
    ['reversed surrogates', '"\\udc00\\ud800"'],
    ['a key with a lone surrogate', '{"\\ud800":1,"\\ud801":2}'],
    ['an escaped pair', '"\\ud83d\\ude00 😀"'],
    ['escapes of plain characters', '"\\u0061\\/\\u002f"'],
    ['noncharacters', '"\uffff\ufdd0\u{10ffff}"'],
    ['line separators', '"\u2028\u2029"'],
    ['white space', '{ "a" :\t[ 1 ,\r\n2 ] }'],
    ['__proto__', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    ['null', 'null'],
    ['order of keys', '{"2":0,"1":0,"b":0,"a":0}'],
    ['64 levels', nested(61)],
    ['64 levels of objects', `${'{"a":'.repeat(61)}0${'}'.repeat(61)}`],
    ['a long string', `"${'\\"x\\\\'.repeat(50_000)}"`],
  ]

  test.each(values)('%s', async (_about, json) => {
    const id = randomUUID()
    const sent = withExtension(json, id)
    expect((await xapi.post(sent)).json).toEqual([id])
    const { text } = await xapi.get({ statementId: id })
    expect(text.startsWith(sent.slice(0, -1))).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    for (const format of ['canonical', 'ids', 'exact'])
      expect((await xapi.get({ statementId: id, format })).status).toBe(200)
    expect((await xapi.get({ statementId: id, format: 'canonical' })).text).toContain(json)
    const typed = await game.rpc().statements.getStatement({ statementId: id, form: Form.TYPED })
    expect(typed.statement?.id).toBe(id)
  })

  test('a whole page of them, as bytes and typed', async () => {
    const page = await xapi.get({ limit: 0 })
    expect(page.json.statements).toHaveLength(values.length)
    const { statements: typed } = await game.rpc().statements.queryStatements({ form: Form.TYPED })
    expect(typed).toHaveLength(values.length)
  })

  test('__proto__ in language maps and definitions is data or refused, in the Activity too', async () => {
    const id = 'https://games.example.org/activities/proto'
    const definition = (json: string) =>
      JSON.stringify(statement({ object: { id, definition: 0 } })).replace('"definition":0', `"definition":${json}`)
    expect((await xapi.post(definition('{"name":{"__proto__":"x"}}'))).status).toBe(400)
    expect((await xapi.post(definition('{"__proto__":{"type":"https://example.org/t"}}'))).status).toBe(400)
    const extensions = '{"https://example.org/e":{"__proto__":{"polluted":1}}}'
    expect((await xapi.post(definition(`{"name":{"en":"A"},"extensions":${extensions}}`))).status).toBe(200)
    expect((await xapi.post(definition('{"name":{"de":"B"}}'))).status).toBe(200)
    const { text, json } = await xapi.request('GET', 'activities', { query: { activityId: id } })
    expect(text).toContain(extensions)
    expect(json.definition.name).toEqual({ en: 'A', de: 'B' })
  })

  test('names with any character, in the Person too', async () => {
    for (const name of ['"a\\u0000b"', '"\\ud800"']) {
      const actor = { mbox: 'mailto:nul@example.org', name: 0 }
      const { status } = await xapi.post(JSON.stringify(statement({ actor })).replace('"name":0', `"name":${name}`))
      expect(status).toBe(200)
    }
    const { text } = await xapi.request('GET', 'agents', { query: { agent: { mbox: 'mailto:nul@example.org' } } })
    expect(text).toContain('"a\\u0000b"')
    expect(text).toContain('"\\ud800"')
  })
})

describe('U+0000 and lone surrogates in any string of a statement, keys too', () => {
  const place = 'https://example.org/place'
  const rich = () =>
    statement({
      actor: {
        objectType: 'Group',
        name: 'Team',
        account: { homePage: 'https://example.org', name: 'team' },
        member: [{ name: 'Ann', mbox: 'mailto:ann@example.org' }, { openid: 'https://ben.example.org' }],
      },
      verb: { id: 'https://example.org/verbs/did', display: { en: 'did' } },
      object: {
        objectType: 'Activity',
        id: place,
        definition: {
          type: 'https://example.org/type',
          name: { en: 'A' },
          description: { en: 'B' },
          moreInfo: 'https://example.org/more',
          interactionType: 'choice',
          correctResponsesPattern: ['a'],
          choices: [{ id: 'a', description: { en: 'a' } }],
          extensions: { [extension]: 'x' },
        },
      },
      result: { response: 'r', duration: 'PT1S', extensions: { [extension]: ['x', { y: 'z' }] } },
      context: {
        registration: randomUUID(),
        revision: '1',
        platform: 'web',
        language: 'en',
        instructor: { name: 'Eve', mbox: 'mailto:eve@example.org' },
        extensions: { [extension]: 'c' },
      },
      attachments: [
        {
          usageType: 'https://example.org/usage',
          display: { en: 'a' },
          contentType: 'text/plain',
          length: 1,
          sha2: 'a'.repeat(64),
          fileUrl: 'https://example.org/file',
        },
      ],
      timestamp: '2026-11-21T12:00:00Z',
    })

  /** The JSON with one string after the other in place of which `mark` stands. */
  function* marked(mark: string): Generator<string> {
    const text = JSON.stringify(rich())
    for (const { index, 0: found } of text.matchAll(/"(?:[^"\\]|\\.)*"/g))
      yield text.slice(0, index) + mark + text.slice(index + found.length)
  }

  test.each(['"a\\u0000b"', '"\\ud800"', '"x\\udc00\\ud800"'])('%s comes back as it was, or is 400', async (mark) => {
    let [kept, refused] = [0, 0]
    for (const sent of marked(mark)) {
      const { status, json } = await xapi.post(sent.replace(/"id":"[\da-f-]{36}"/, () => `"id":"${randomUUID()}"`))
      expect([200, 400]).toContain(status)
      if (status === 400) {
        refused++
        continue
      }
      kept++
      const { text } = await xapi.get({ statementId: json[0] })
      expect(text).toContain(mark)
      expect(text).not.toContain('\ufffd')
      expect((await xapi.get({ statementId: json[0], format: 'canonical' })).status).toBe(200)
    }
    expect(kept).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(10)
  })

  test('nothing of it stands in the way of pages, the Activity and its typed form', async () => {
    for (const format of ['exact', 'canonical', 'ids']) expect((await xapi.get({ limit: 0, format })).status).toBe(200)
    expect((await xapi.request('GET', 'activities', { query: { activityId: place } })).status).toBe(200)
    expect(
      (await game.rpc().statements.queryStatements({ form: Form.TYPED, limit: 500 })).statements.length,
    ).toBeGreaterThan(10)
  })
})

describe('IRIs', () => {
  const characters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/äöß漢字ÿ€😀")
  const randomIri = (length: number) =>
    `https://example.org/${Array.from(randomBytes(length), (byte) => characters[byte % characters.length]).join('')}`

  test('of 3,000 random characters are stored and found by activity and verb', async () => {
    for (let round = 0; round < 5; round++) {
      const one = statement({ verb: { id: randomIri(3_000) }, object: { id: randomIri(3_000) } })
      expect((await xapi.post(one)).status).toBe(200)
      // percent-encoded, that many characters beyond ASCII do not fit into a request line: over RPC they do
      for (const filter of [
        { verb: one.verb.id },
        { activity: one.object.id },
        { verb: one.verb.id, activity: one.object.id },
      ]) {
        const { json } = await game.rpc().statements.queryStatements(filter)
        expect(json.map((bytes) => JSON.parse(Buffer.from(bytes).toString()).id)).toEqual([one.id])
      }
      expect(await game.rpc().statements.getActivity({ activityId: one.object.id })).toBeDefined()
    }
  })

  test('of 3,000 ASCII characters are found over HTTP', async () => {
    const iri = () => `https://example.org/${randomBytes(1_490).toString('hex')}`
    const one = statement({ verb: { id: iri() }, object: { id: iri() } })
    await xapi.post(one)
    expect((await xapi.all({ verb: one.verb.id, activity: one.object.id })).map(({ id }) => id)).toEqual([one.id])
  })

  test.each([
    ['1 MB', `https://example.org/${'x'.repeat(MiB)}`],
    ['1 MB of percent escapes', `https://example.org/${'%41'.repeat(350_000)}`],
    ['1 MB of percent signs', `https://example.org/${'%'.repeat(MiB)}`],
    ['1 MB of brackets', `https://example.org/${'['.repeat(MiB)}`],
    ['1 MB of colons', 'a:'.repeat(MiB / 2)],
  ])('%s are dealt with at once', async (_about, id) => {
    const body = JSON.stringify(statement({ object: { id } }))
    const began = processorTime()
    expect([200, 400]).toContain((await xapi.post(body)).status)
    expect(processorTime() - began).toBeLessThan(1_000)
  })
})

describe('bodies that are too large', () => {
  const tooLarge = { error: 'Request body too large' }
  /** Valid JSON of exactly this many bytes. */
  const ofSize = (bytes: number) => {
    const empty = withExtension('""')
    return withExtension(`"${'x'.repeat(bytes - empty.length)}"`)
  }
  const inChunks = (text: string) =>
    new ReadableStream({ start: (controller) => (controller.enqueue(Buffer.from(text)), controller.close()) })

  test('251 statements are 413, 250 are stored', async () => {
    const reply = await xapi.post(statements(251))
    expect(reply.status).toBe(413)
    expect(reply.json).toEqual({ error: expect.stringMatching(/max 250 statements/) })
    expect((await xapi.post(statements(250))).status).toBe(200)
  })

  test('2 MiB are stored, one byte more is 413, with Content-Length and without', async () => {
    expect((await xapi.post(ofSize(2 * MiB))).status).toBe(200)
    expect((await xapi.post(inChunks(ofSize(2 * MiB)))).status).toBe(200)
    for (const body of [ofSize(2 * MiB + 1), inChunks(ofSize(2 * MiB + 1))]) {
      const reply = await xapi.post(body)
      expect(reply.status).toBe(413)
      expect(reply.json).toEqual(tooLarge)
    }
  })

  test('a Content-Length that lies is 400 or 413, and neighbours are served', async () => {
    const body = JSON.stringify(statement())
    const head = (length: number) =>
      `POST /xapi/statements HTTP/1.1\r\nHost: x\r\nAuthorization: ${game.authorization}\r\nX-Experience-API-Version: 1.0.3\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`
    expect(await rawRequest(xapi.url, head(3 * MiB) + body)).toMatch(/^HTTP\/1.1 413 /)
    expect(await rawRequest(xapi.url, head(10) + body)).toMatch(/^HTTP\/1.1 400 /)
    expect((await xapi.get({ limit: 1 })).status).toBe(200)
  })

  test('a body in a Transfer-Encoding that is none is 400, or what the address is, and never nothing', async () => {
    const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n`
    for (let times = 0; times < 5; times++) {
      expect(await rawRequest(xapi.url, head('GET /nothing'))).toMatch(/^HTTP\/1.1 40[04] [^]*\}$/)
      expect(await rawRequest(xapi.url, head('POST /xapi/statements'))).toMatch(/^HTTP\/1.1 40[01] [^]*\}$/)
    }
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    // its default takes seconds
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('a bomb in %s is 413, a small body is stored', async (encoding, compress) => {
    const reply = await xapi.post(compress(Buffer.alloc(100 * MiB, ' ')), { 'content-encoding': encoding })
    expect(reply.status).toBe(413)
    expect(reply.json).toEqual(tooLarge)
    const one = statement()
    expect(
      (await xapi.post(compress(Buffer.from(JSON.stringify(one))), { 'content-encoding': encoding })).json,
    ).toEqual([one.id])
  })

  test('an unknown encoding is 415, a wrong one 400', async () => {
    expect((await xapi.post('[]', { 'content-encoding': 'zstd' })).status).toBe(415)
    expect((await xapi.post('[]', { 'content-encoding': 'gzip' })).status).toBe(400)
  })
})

describe('parameters', () => {
  const agent = JSON.stringify(player('ann'))
  const encoded = encodeURIComponent(agent)

  test.each([
    ['agent twice', `agent=${encoded}&agent=${encoded}`, 'agent'],
    ['limit twice', 'limit=1&limit=1', 'limit'],
    ['broken JSON', 'agent={', 'agent'],
    [
      'two identifiers',
      `agent=${encodeURIComponent('{"mbox":"mailto:a@example.org","openid":"https://a.example.org"}')}`,
      'agent',
    ],
    [
      'an anonymous group',
      `agent=${encodeURIComponent('{"objectType":"Group","member":[{"mbox":"mailto:a@example.org"}]}')}`,
      'agent',
    ],
    [
      'an agent with a key twice',
      `agent=${encodeURIComponent('{"mbox":"mailto:a@example.org","mbox":"mailto:b@example.org"}')}`,
      'agent',
    ],
    ['limit -1', 'limit=-1', 'limit'],
    ['limit NaN', 'limit=NaN', 'limit'],
    ['limit 1.5', 'limit=1.5', 'limit'],
    ['a verb that is no IRI', 'verb=played', 'verb'],
    ['an activity that is no IRI', 'activity=chess', 'activity'],
    ['since without a time', 'since=yesterday', 'since'],
    ['until on 30 February', 'until=2026-02-30T00:00:00Z', 'until'],
    ['a registration that is no UUID', 'registration=7', 'registration'],
    ['an id that is no UUID', 'statementId=7', 'statementId'],
    ['an id beside a filter', `statementId=${randomUUID()}&limit=1`, 'limit'],
    ['both ids', `statementId=${randomUUID()}&voidedStatementId=${randomUUID()}`, 'voidedStatementId'],
    ['an unknown one', 'verbs=x', 'verbs'],
    ['another case', 'Limit=1', 'Limit'],
    ['ascending maybe', 'ascending=maybe', 'ascending'],
    ['another format', 'format=pretty', 'format'],
    ['a forged offset', 'offset=../../etc', 'offset'],
    ['a negative offset', 'offset=-1', 'offset'],
    ['broken percent-encoding', 'verb=%', 'verb'],
    ['invalid UTF-8', 'verb=%ff', 'verb'],
  ])('%s: 400 that names it', async (_about, query, name) => {
    const reply = await xapi.request('GET', `/xapi/statements?${query}`)
    expect(reply.status).toBe(400)
    expect(reply.json.message).toContain(name)
    expect(reply.headers.get('x-experience-api-consistent-through')).toMatch(/Z$/)
  })

  test('a query of 17 KB is 414 or 431', async () => {
    expect([414, 431]).toContain((await xapi.get({ activity: `https://example.org/${'x'.repeat(17_000)}` })).status)
  })

  test('limits beyond the maximum give the maximum', async () => {
    for (let n = 0; n < 3; n++) await xapi.post(statements(250, { object: activity('many') }))
    for (const limit of ['0', '501', '1000000000', '99999999999999999999']) {
      const { status, json } = await xapi.get({ limit, activity: activity('many').id })
      expect([status, json.statements.length]).toEqual([200, 500])
    }
  })

  test('a key with U+0000 in the Authorization is a wrong key', async () => {
    for (const text of ['a\0b:c', ':', 'a', '\0', '\ufffd:x', ' : ']) {
      const authorization = `Basic ${Buffer.from(text).toString('base64')}`
      expect((await xapi.as(authorization).get()).status).toBe(401)
    }
  })
})
