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

async function call(method: string, json: string, authorization?: string) {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  const response = await fetch(`http://127.0.0.1:${system.cores[0]!.port}/lrs.v1.${method}`, {
    method: 'POST',
    headers,
    body: json,
  })
  return (await response.json()) as Record<string, string>
}

test.each([
  ['\\u00e9', 'é', '\\\\'],
  ['\\u00e9t', 'ét', '\\\\u'],
  ['\\"', '"', '\\\\'],
])('a stranger changes no key of a typed statement that a game sends over Connect: %s', async (escaped, key, other) => {
  // V8 compares the beginning of an escaped key with the key that came after the same ones before
  await call('QuotaService/ListLimits', `{"a":0,"${other}":0}`)
  const id = randomUUID()
  const extensions = `{"https://games.example/x":{"a":0,"${escaped}":0}}`
  const statement = `{"id":"${id}","actor":{"mbox":"mailto:ann@example.org"},"verb":{"id":"https://games.example/v"},"object":{"id":"https://games.example/o"},"context":{"extensions":${extensions}}}`
  expect(await call('StatementService/StoreStatements', `{"statements":[${statement}]}`, game.authorization)).toEqual({
    ids: [id],
  })
  const { json } = await call('StatementService/GetStatement', `{"statementId":"${id}"}`, game.authorization)
  const stored = Buffer.from(json!, 'base64').toString()
  expect(stored).toContain(`{"a":0,${JSON.stringify(key)}:0}`)
})
