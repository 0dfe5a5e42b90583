import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from '../support/games.ts'
import { startSystem, type System } from '../support/system.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  game = await system.game()
})
afterAll(() => system.close())

async function post(method: string, type: string, body: string | Buffer, authorization?: string): Promise<Buffer> {
  const headers = { 'content-type': type, ...(authorization && { authorization }) }
  const response = await fetch(`http://127.0.0.1:${system.cores[0]!.port}/lrs.v1.${method}`, {
    method: 'POST',
    headers,
    body,
  })
  return Buffer.from(await response.arrayBuffer())
}

const call = async (method: string, json: string, authorization?: string): Promise<Record<string, unknown>> =>
  JSON.parse((await post(method, 'application/json', json, authorization)).toString())

/** The messages of a stream of Connect; the first of its answer. */
async function stream(method: string, messages: string[], authorization: string): Promise<Record<string, unknown>> {
  const framed = messages.map((json) => {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(Buffer.byteLength(json), 1)
    return Buffer.concat([head, Buffer.from(json)])
  })
  const answer = await post(method, 'application/connect+json', Buffer.concat(framed), authorization)
  return JSON.parse(answer.subarray(5, 5 + answer.readUInt32BE(1)).toString())
}

const ways = {
  'one call': (statement: string) =>
    call('StatementService/StoreStatements', `{"statements":[${statement}]}`, game.authorization),
  'a stream': (statement: string) =>
    stream(
      'AttachmentService/StoreWithAttachments',
      [`{"statements":{"statements":[${statement}]}}`, '{"end":{}}'],
      game.authorization,
    ),
}

const keys = [
  ['\\u00e9', 'é', '\\\\'],
  ['\\u00e9t', 'ét', '\\\\u'],
  ['\\"', '"', '\\\\'],
] as const

test.each(Object.keys(ways).flatMap((way) => keys.map((key) => [way as keyof typeof ways, ...key] as const)))(
  'a stranger changes no key of a typed statement that a game sends over Connect: %s, %s',
  async (way, escaped, key, other) => {
    // V8 compares the beginning of an escaped key with the key that came after the same ones before
    await call('QuotaService/ListLimits', `{"a":0,"${other}":0}`)
    const id = randomUUID()
    const extensions = `{"https://games.example/x":{"a":0,"${escaped}":0}}`
    const statement = `{"id":"${id}","actor":{"mbox":"mailto:ann@example.org"},"verb":{"id":"https://games.example/v"},"object":{"id":"https://games.example/o"},"context":{"extensions":${extensions}}}`
    expect(await ways[way](statement)).toEqual({ ids: [id] })
    const { json } = await call('StatementService/GetStatement', `{"statementId":"${id}"}`, game.authorization)
    const stored = Buffer.from(String(json), 'base64').toString()
    expect(stored).toContain(`{"a":0,${JSON.stringify(key)}:0}`)
  },
)

test("JSON.parse of core's process stays V8's own", () => {
  expect(Function.prototype.toString.call(JSON.parse)).toContain('[native code]')
})
