import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../../core/games/command/credentials.ts'
import { openStore } from '../../core/store.ts'
import { freshDatabase } from '../support/database.ts'
import { startSystem, tokens, type System } from '../support/system.ts'
import { statement } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'
import { codeOf } from '../support/failures.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
})
afterAll(() => system.close())

test('cores that start together on an empty store make one demo game between them', async () => {
  const database = await freshDatabase()
  const store = () => openStore({ url: database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
  const stores = Array.from({ length: 6 }, store)
  await Promise.all(
    stores.map((store) => bootstrap(store, 'https://lrs.example.org', { key: 'demo', secret: 'chosen' })),
  )
  await bootstrap(stores[0]!, 'https://lrs.example.org', { key: 'another', secret: 'chosen' })
  expect(await database.sql('select g.name, c.key from game g left join credential c on c.game = g.id')).toEqual([
    { name: 'Demo game', key: 'demo' },
  ])
  await Promise.all(stores.map((store) => store.close()))
  await database.close()
})

describe('the identity service', () => {
  test('takes admin only: the portal faces the internet, and this is good for every game', async () => {
    const { connections } = system
    const create = (authorization: string) =>
      codeOf(connections[0]!.as(authorization).identity.createGame({ name: 'x' }))
    expect(await create(bearer(tokens.admin))).toBe('ok')
    for (const role of ['portal', 'player', 'gateway', 'service'] as const)
      expect(await create(bearer(tokens[role])), role).toBe(Code.PermissionDenied)
    for (const wrong of ['', 'Bearer x', bearer(`${tokens.admin}x`), (await system.game()).authorization])
      expect(await create(wrong)).toBe(Code.Unauthenticated)
  })

  test('refuses texts that nothing can hold', async () => {
    expect(await codeOf(system.admin.identity.createGame({ name: 'a\0b' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(system.admin.identity.rotateCredential({ key: 'a\0b' }))).toBe(Code.InvalidArgument)
  })

  test('a service acts for the game that it names, gateway and player never do', async () => {
    const game = await system.game()
    const one = statement()
    await game.xapi().post(one)
    const { connections } = system
    const get = (token: string, key: string) =>
      codeOf(
        connections[1]!.as(bearer(token), { 'x-lrs-credential': key }).statements.getStatement({ statementId: one.id }),
      )
    expect(await get(tokens.service, game.key)).toBe('ok')
    expect(await get(tokens.gateway, game.key)).toBe(Code.PermissionDenied)
    expect(await get(tokens.player, game.key)).toBe(Code.PermissionDenied)
    expect(await get(tokens.service, 'unknown')).toBe(Code.Unauthenticated)
    expect(await get('wrong', game.key)).toBe(Code.Unauthenticated)
  })
})
