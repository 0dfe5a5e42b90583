import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spellings, type Shown } from '../cases/authorization.ts'
import { failureOf } from '../support/failures.ts'
import type { Game } from '../support/games.ts'
import { signingKey, startSystem, type System } from '../support/system.ts'
import { player } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'

let system: System
let game: Game
let shown: Shown
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
  const [basic, token] = [game.authorization, await game.launch(player('ann'))].map((header) => header.split(' ')[1]!)
  shown = { basic: basic!, token: token! }
})
afterAll(() => system.close())

// keys and secrets of ours have no digit that base64url writes otherwise
const cases = spellings.filter(({ about }) => about !== 'base64url')

test.each(cases)('$about: the same over HTTP and from core itself', async ({ header, fault, trimmed }) => {
  const authorization = header(shown)
  const { status, json, headers } = await game.xapi().as(authorization).get({ limit: 1 })
  expect(status).toBe(fault === undefined || trimmed ? 200 : 401)
  if (status === 401) {
    expect(json.message).toContain(fault)
    expect(headers.get('www-authenticate')).toBe('Bearer realm="xAPI"')
  }
  const asked = system.connections[0]!.as(authorization).statements.queryStatements({ limit: 1 })
  const failure = await failureOf(asked)
  if (fault === undefined || trimmed) expect(failure).toBe('ok')
  else expect(failure).toMatchObject({ message: expect.stringContaining(fault) })
})

test('a signed token whose actor is none, or that never ends, is refused: 401, not 500', async () => {
  const [header, payload] = shown.token.split('.')
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
  const sign = (text: string) => {
    const signed = `${header}.${Buffer.from(text).toString('base64url')}`
    return `${signed}.${createHmac('sha256', signingKey).update(signed).digest('base64url')}`
  }
  for (const actor of ['{', 'null', '7', '[]', '{}', '{"mbox":7}', '{"account":{"homePage":"https://a.example"}}'])
    expect(
      (
        await game
          .xapi()
          .as(bearer(sign(JSON.stringify({ ...claims, actor }))))
          .get()
      ).status,
      actor,
    ).toBe(401)
  const endless = JSON.stringify({ ...claims, exp: 1 }).replace('"exp":1', '"exp":1e400')
  expect(
    (
      await game
        .xapi()
        .as(bearer(sign(endless)))
        .get()
    ).status,
  ).toBe(401)
  expect(
    (
      await game
        .xapi()
        .as(bearer(sign(JSON.stringify(claims))))
        .get()
    ).status,
  ).toBe(200)
})
