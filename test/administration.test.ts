import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Severity } from '../gen/lrs/v1/admin_pb.js'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { sealer } from '../core/accounts/access/sealed.ts'
import { sealSecrets } from '../core/accounts/command/seal-secrets.ts'
import { statements } from './support/statements.ts'
import { addStudio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'
import { connectionTo } from './support/database.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 1 })
})
afterAll(() => system.close())

describe('AdminService', () => {
  test('is for admins', async () => {
    for (const role of ['service', 'portal', 'player', 'gateway'] as const) {
      const { admin, quotas } = system.connections[0]!.as(bearer(tokens[role]))
      await expect(admin.eraseLearner({ agent: '{}' }), role).rejects.toMatchObject({ code: Code.PermissionDenied })
      // the portal may ask for an admin who is signed in
      const code = role === 'portal' ? Code.Unauthenticated : Code.PermissionDenied
      await expect(admin.getStatus({}), role).rejects.toMatchObject({ code })
      await expect(quotas.setQuota({ studio: 'a', name: 'games' }), role).rejects.toMatchObject({ code })
      await expect(quotas.getStudioUsage({ studio: 'a' }), role).rejects.toMatchObject({ code })
    }
    const game = await system.game()
    await expect(game.rpc().admin.check({})).rejects.toMatchObject({ code: Code.Unauthenticated })
  })

  test('lists the credentials of a game, revoked ones too, and changes scopes at once on every core', async () => {
    const game = await system.game()
    const { admin, identity } = system.admin
    await game.rpc(1).statements.queryStatements({})
    await expect(game.rpc(1).statements.queryStatements({ verb: 'https://x.example/v' })).resolves.toBeDefined()
    expect((await admin.setScopes({ key: game.key, scopes: [Scope.STATEMENTS_WRITE] })).scopes).toEqual([
      Scope.STATEMENTS_WRITE,
    ])
    await expect(game.rpc(1).statements.queryStatements({})).rejects.toMatchObject({ code: Code.PermissionDenied })
    expect((await admin.setScopes({ key: game.key })).scopes).toHaveLength(5)
    await game.rpc(1).statements.queryStatements({})
    await identity.rotateCredential({ key: game.key })
    await identity.revokeCredential({ key: game.key })
    const { key } = await identity.issueCredential({ gameId: game.id, scopes: [Scope.ALL_READ] })
    const { credentials } = await admin.listCredentials({ gameId: game.id })
    expect(credentials.map(({ key, scopes }) => ({ key, scopes: scopes.length }))).toEqual([
      { key, scopes: 1 },
      { key: game.key, scopes: 5 },
    ])
    expect(credentials[0]).toMatchObject({ rotated: 0n, revoked: 0n })
    expect(Number(credentials[1]!.revoked)).toBeGreaterThan(Date.now() / 1000 - 60)
    await expect(admin.setScopes({ key: game.key })).rejects.toMatchObject({ code: Code.NotFound })
    await expect(admin.listCredentials({ gameId: crypto.randomUUID() })).rejects.toMatchObject({ code: Code.NotFound })
  })

  test('tells versions, sizes, calls, lag', async () => {
    const game = await system.game()
    const before = await system.admin.admin.getStatus({})
    await game.rpc(0).statements.storeStatements({ json: Buffer.from(JSON.stringify(statements(7))) })
    await game
      .rpc(0)
      .statements.queryStatements({ verb: 'no' })
      .catch(() => {})
    const status = await system.admin.admin.getStatus({})
    expect(status).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      nodeVersion: process.versions.node,
      followers: 0,
    })
    expect(Number(status.statementsToday - before.statementsToday)).toBe(7)
    expect(status.databaseVersion).toMatch(/^\d+/)
    expect(status.schemaVersion).toBeGreaterThanOrEqual(3)
    expect(status.tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['statement', 'posting', 'document']))
    const [{ count }] = (await system.database.sql<{ count: string }>('select count(*) from credential')) as [
      { count: string },
    ]
    // small tables are counted: the estimate of a new one is 0
    expect(String(status.tables.find(({ name }) => name === 'credential')!.rows)).toBe(count)
    expect(Number(status.databaseSize)).toBeGreaterThan(1_000_000)
    expect(status.lastStored).toBeLessThanOrEqual(status.consistentThrough)
    expect(Number(status.lag)).toBeLessThan(30_000_000)
    expect(status.pool).toMatchObject({ limit: 10, waiting: 0 })
    const rate = (call: string) => status.rates.find((one) => one.call === call)
    expect(Number(rate('StoreStatements')!.count)).toBeGreaterThanOrEqual(1)
    expect(Number(rate('QueryStatements')!.failed)).toBeGreaterThanOrEqual(1)
  })

  test('checks what may be wrong, and says what to do about it', async () => {
    const { findings } = await system.admin.admin.check({ now: BigInt((Date.now() - 3_600_000) * 1000) })
    const by = new Map(findings.map((finding) => [finding.name, finding]))
    for (const name of ['database', 'migrations', 'clock-database', 'order', 'storage', 'authority-home'])
      expect(by.get(name), name).toMatchObject({ severity: Severity.OK })
    expect(by.get('request-limits')).toMatchObject({
      severity: Severity.WARNING,
      advice: expect.stringContaining('LRS_RATE_LIMITS'),
    })
    expect(by.get('clock-caller')).toMatchObject({
      severity: Severity.ERROR,
      message: "the clock of the caller is 3600 s behind this core's",
    })
    for (const { severity, advice, name } of findings) expect(advice !== '', name).toBe(severity !== Severity.OK)
    // tests run on a Postgres that does not wait for its disk
    expect(by.get('durability')).toMatchObject({ severity: Severity.WARNING, advice: expect.stringContaining('fsync') })
    expect(await system.database.sql('select from garbage')).toEqual([])
  })
})

test('a database that is stuck is told as that: the storage is not blamed', async () => {
  const holder = await connectionTo(system.database.url)
  await holder.query('begin')
  await holder.query('lock table garbage in access exclusive mode')
  try {
    const { findings } = await system.admin.admin.check({})
    const wrong = findings.filter(({ severity }) => severity === Severity.ERROR)
    expect(wrong).toMatchObject([
      {
        name: 'database-writes',
        message: expect.stringMatching(/^do not work: The database/),
        advice: expect.stringContaining('Storage was not tried'),
      },
    ])
    expect(findings.map(({ name }) => name)).not.toContain('storage')
  } finally {
    await holder.end()
  }
})

test('sealed secrets are sealed anew with the first key, each once; those that no key opens are named', async () => {
  const column = { table: 'sealed_sample', column: 'secret', row: 'id' }
  await system.database.sql('create table sealed_sample (id int primary key, secret bytea)')
  const [young, old, lost] = [1, 2, 3].map((n) => Buffer.alloc(32, n)) as [Buffer, Buffer, Buffer]
  const place = (row: number) => ({ ...column, row })
  const add = (row: number, value: Buffer | null) =>
    system.database.sql('insert into sealed_sample values ($1, $2)', [row, value])
  await add(1, sealer([old]).seal(place(1), 'one'))
  await add(2, sealer([young]).seal(place(2), 'two'))
  await add(3, null)
  await add(4, sealer([lost]).seal(place(4), 'four'))
  await add(5, sealer([old]).seal(place(1), 'moved from another row'))
  const { store } = system.cores[0]!
  const rotate = () => sealSecrets({ store, sealer: sealer([young, old]) }, [column])
  const unreadable = ['sealed_sample.secret of row 4', 'sealed_sample.secret of row 5']
  expect(await rotate()).toEqual({ sealed: 1, kept: 1, unreadable })
  expect(await rotate()).toEqual({ sealed: 0, kept: 2, unreadable })
  const [first] = await system.database.sql<{ secret: Buffer }>('select secret from sealed_sample where id = 1')
  expect(sealer([young]).open(place(1), first!.secret)).toBe('one')
  await system.database.sql('drop table sealed_sample')
  expect(await system.admin.admin.sealSecrets({})).toMatchObject({ unreadableCount: 0 })
})

describe('quotas of one studio', () => {
  test('are changed, told and reset by an admin, by id, address or name', async () => {
    const { quotas } = system.admin
    const studio = await addStudio(system, 'Quota Works')
    const slug = (await system.database.sql<{ slug: string; uuid: string }>('select slug, uuid from studio'))[0]!
    const limitOf = async (name: string, studio: string) =>
      Number((await quotas.getStudioUsage({ studio })).usage.find(({ anchor }) => anchor === name)!.limit)
    expect(await limitOf('games', slug.slug)).toBe(20)
    expect(await quotas.setQuota({ studio: studio.email.toUpperCase(), name: 'games', limit: 3n })).toMatchObject({
      limit: 3n,
    })
    expect(await quotas.setQuota({ studio: slug.uuid, name: 'storage', limit: 0n })).toMatchObject({ limit: 0n })
    expect([await limitOf('games', studio.email), await limitOf('storage', slug.uuid)]).toEqual([3, 0])
    expect((await quotas.getStudioUsage({ studio: slug.slug })).changed).toMatchObject([
      { name: 'games', limit: 3n },
      { name: 'storage', limit: 0n },
    ])
    expect(await quotas.setQuota({ studio: slug.slug, name: 'games' })).toMatchObject({ limit: 20n })
    expect((await quotas.getStudioUsage({ studio: slug.slug })).changed).toMatchObject([{ name: 'storage' }])
    await expect(quotas.setQuota({ studio: slug.slug, name: 'toString', limit: 1n })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    await expect(quotas.setQuota({ studio: 'nobody', name: 'games', limit: 1n })).rejects.toMatchObject({
      code: Code.NotFound,
    })
  })

  test('of a game: there has to be one, and the number has to be exact', async () => {
    const { quotas } = system.admin
    await expect(quotas.setGameQuota({ gameId: crypto.randomUUID(), limit: 1n })).rejects.toMatchObject({
      code: Code.NotFound,
    })
    const { id: gameId } = await system.game()
    await expect(quotas.setGameQuota({ gameId, limit: 2n ** 53n })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    expect(await quotas.setGameQuota({ gameId, limit: 2n ** 53n - 1n })).toMatchObject({})
  })
})
