import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processorTime } from '../support/cost.ts'
import { statement } from '../support/statements.ts'
import { nested, withExtension, startBytes, type Bytes } from './bytes.ts'

let { system, game, xapi } = {} as Bytes
beforeAll(async () => {
  ;({ system, game, xapi } = await startBytes())
})
afterAll(() => system.close())

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
