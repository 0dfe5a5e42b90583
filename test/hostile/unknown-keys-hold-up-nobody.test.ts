import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unknownKeys } from '../../shared/limits.ts'
import { reasonOf } from '../support/failures.ts'
import { player, statement } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { basic } from '../support/xapi.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ rateLimitFactor: 1, trustProxy: 1 })
})
afterAll(() => system.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const invented = () => basic(randomUUID(), 'x')

test('thirty children stay served behind an address that invents keys; keys of other addresses are looked up', async () => {
  const game = await system.game()
  const tokens = await Promise.all(Array.from({ length: 30 }, (_, n) => game.launch(player(`child-${n}`))))
  const flood = Array.from({ length: 6 * unknownKeys.burst }, () =>
    game.xapi().as(invented()).get({ limit: 1 }, from('192.0.2.1')),
  )
  const children = tokens.map((token) =>
    game
      .xapi()
      .as(token)
      .post(statement({ actor: undefined }), from('192.0.2.1')),
  )
  expect((await Promise.all(children)).map(({ status }) => status)).toEqual(tokens.map(() => 200))
  const answers = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(answers)).toEqual(new Set([401, 503]))
  const lookedUp = answers.filter((status) => status === 401).length
  expect(lookedUp).toBeGreaterThanOrEqual(unknownKeys.burst)
  // whatever it takes the machine to send them, most are no query
  expect(lookedUp).toBeLessThan(answers.length)
  const other = await system.game()
  expect((await game.xapi().as(tokens[0]!).get({ limit: 1 }, from('192.0.2.1'))).status).toBe(200)
  expect((await other.xapi().get({ limit: 1 }, from('198.51.100.7'))).status).toBe(200)
})

test('an IPv6 network of 64 bits is one sender; who turns out right is not counted', async () => {
  const game = await system.game()
  const one = await Promise.all(
    Array.from({ length: 6 * unknownKeys.burst }, (_, n) =>
      game
        .xapi()
        .as(invented())
        .get({}, from(`2001:db8:0:1::${(n + 1).toString(16)}`)),
    ),
  )
  expect(one.map(({ status }) => status)).toContain(503)
  const games = await Promise.all(Array.from({ length: 3 }, () => system.game()))
  for (const { xapi } of games) expect((await xapi().get({ limit: 1 }, from('2001:db8:0:2::1'))).status).toBe(200)
})

test('the same holds at the port of core', async () => {
  const { rpc } = await system.game()
  const asked = Array.from({ length: 1.5 * unknownKeys.burst }, () =>
    reasonOf(system.connections[0]!.as(invented()).statements.queryStatements({ limit: 1 })),
  )
  // 20 KB are too large for a stranger; a key that cannot be looked up may be right
  const large = statement({ actor: { ...player('large'), name: 'x'.repeat(20_000) } })
  const refused = reasonOf(rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(large)) }))
  const reasons = await Promise.all(asked)
  expect(reasons).toContain('UNAVAILABLE')
  // a wrong key is charged once: with twice, half a burst would be looked up
  const lookedUp = reasons.filter((reason) => reason === 'UNAUTHENTICATED')
  expect(lookedUp.length).toBeGreaterThan(0.6 * unknownKeys.burst)
  expect(await refused).toBe('UNAVAILABLE')
  await expect.poll(() => reasonOf(rpc().statements.queryStatements({ limit: 1 })), { timeout: 20_000 }).toBe('ok')
})
