import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Form } from '../../gen/lrs/v1/statements_pb.js'
import { statement } from '../support/statements.ts'
import { extension, nested, withExtension, startBytes, type Bytes } from './bytes.ts'

let { system, game, xapi } = {} as Bytes
beforeAll(async () => {
  ;({ system, game, xapi } = await startBytes())
})
afterAll(() => system.close())

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
