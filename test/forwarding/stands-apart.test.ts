import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sealSecrets } from '../../core/accounts/command/seal-secrets.ts'
import { ForwardState } from '../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../support/games.ts'
import { player, statement, statements } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs, type TargetLrs } from '../support/target-lrs.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0, forwardMs: 50, outgoingAllow: ['127.0.0.1'] })
})
afterAll(() => system.close())

const patient = { timeout: 30_000, interval: 50 }
const send = (game: Game, list: object[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)

async function forward(game: Game, { endpoint }: Pick<TargetLrs, 'endpoint'>) {
  const { forward } = await system.admin.forwards.addForward({
    gameId: game.id,
    settings: { name: 'Partner', endpoint, version: '1.0.3' },
    credential: { kind: { case: 'bearer', value: 'token-that-nobody-sees' } },
    since: '2000-01-01T00:00:00Z',
  })
  const { forwardId } = forward!
  return { forwardId, get: () => system.admin.forwards.getForward({ forwardId }) }
}

test('targets that never answer delay nobody else, and no sign-in calls', async () => {
  const dead = await targetLrs(() => 'hang')
  const good = await targetLrs()
  const games = await Promise.all(Array.from({ length: 4 }, () => system.game()))
  for (const game of games) {
    await send(game, [statement()])
    for (let n = 0; n < 5; n++) await forward(game, dead)
  }
  await vi.waitFor(() => expect(dead.posts().length).toBeGreaterThan(0), patient)
  const game = await system.game()
  const list = statements(20)
  await send(game, list)
  const began = performance.now()
  await forward(game, good)
  await vi.waitFor(() => expect(good.ids()).toEqual(idsOf(list)), patient)
  expect(performance.now() - began).toBeLessThan(5_000)
  // one host has four slots at most
  expect(dead.posts().length).toBeLessThanOrEqual(4)
  const other = await targetLrs()
  const answer = await system.cores[0]!.outgoing.guardedFetch({ url: `${other.endpoint}/about` })
  expect(answer.status).toBe(200)
  await system.database.sql('delete from forward')
  dead.close()
})

test('an address that is not public is not called, and a redirect is not followed', async () => {
  const game = await system.game()
  await send(game, [statement()])
  const { get } = await forward(game, { endpoint: 'http://127.0.0.2:9/xapi' })
  await vi.waitFor(async () => expect((await get()).forward!.problem).toContain('has to be called with https'), patient)
  const to = await targetLrs()
  const from = await targetLrs(() => ({ status: 307, headers: { location: `${to.endpoint}/statements` } }))
  const redirected = await forward(game, from)
  await vi.waitFor(async () => expect((await redirected.get()).forward!.problem).toContain('redirect'), patient)
  expect(to.requests).toEqual([])
})

test('what another core was working on is taken over after its lease, and sent with the same ids', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const list = statements(3)
  const { forwardId } = await forward(game, target)
  // a core took it, sent a batch, and died before it wrote that down
  await system.database.sql(
    `update forward set leased = now() + interval '2 seconds', attempts = attempts + 1, next_attempt = now()
      where uuid = $1`,
    [forwardId],
  )
  for (const one of list) target.kept.set(one.id, one)
  await send(game, list)
  await new Promise((done) => setTimeout(done, 700))
  expect(target.posts()).toEqual([])
  await vi.waitFor(() => expect(target.posts()).toHaveLength(1), patient)
  expect(target.ids()).toEqual(idsOf(list))
  expect(idsOf(target.posts()[0]!.statements)).toEqual(idsOf(list))
})

test('the credential is sealed, shown nowhere, and sealed again with the keys', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const { forwardId, get } = await forward(game, target)
  const rows = await system.database.sql('select * from forward where uuid = $1', [forwardId])
  expect(rows).toHaveLength(1)
  const credential = (rows[0] as { credential: Buffer }).credential
  expect(credential.toString('latin1')).not.toContain('nobody-sees')
  expect(JSON.stringify(await get(), (_, value) => String(value))).not.toContain('nobody-sees')
  const audit = await system.database.sql('select * from audit_entry')
  expect(JSON.stringify(audit)).not.toContain('nobody-sees')
  expect(await sealSecrets(system.cores[0]!)).toMatchObject({ unreadable: [] })
  const { forwards } = system.cores[0]!.store
  const kept = await forwards.find(forwardId, undefined)
  expect(() =>
    system.cores[0]!.sealer.open({ table: 'forward', column: 'credential', row: forwardId }, kept!.credential!),
  ).not.toThrow()
})

test('an erasure is told: nothing more is sent, what a target wrote is forgotten, and the list says so', async () => {
  const game = await system.game()
  const target = await targetLrs(({ statements }) =>
    statements.some(({ verb }) => (verb as { id: string }).id.endsWith('odd'))
      ? { status: 400, text: 'eve is odd' }
      : undefined,
  )
  const eve = player(`eve-${game.id}`)
  await send(game, [statement({ actor: eve }), statement({ actor: eve, verb: { id: 'https://x.example/odd' } })])
  const { forwardId, get } = await forward(game, target)
  await vi.waitFor(async () => expect((await get()).forward).toMatchObject({ sent: 1n, setAside: 1n }), patient)
  await system.admin.forwards.pauseForward({ forwardId, paused: true })
  await send(game, [statement({ actor: eve })])
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(eve) })
  const { setAside } = await get()
  const reasons = setAside.map(({ reason }) => reason).toSorted()
  expect(reasons).toEqual([
    expect.stringMatching(/^A learner was erased here\. 127\.0\.0\.1:\d+ may have statements/),
    expect.stringContaining('was forgotten when a learner was erased'),
  ])
  await system.admin.forwards.pauseForward({ forwardId, paused: false })
  await system.admin.forwards.retrySetAside({ forwardId })
  await vi.waitFor(
    async () => expect((await get()).forward).toMatchObject({ setAside: 0n, behindSeconds: 0n }),
    patient,
  )
  expect(target.ids()).toHaveLength(1)
})

test('at the bound of what is set aside nothing more is sent', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const { forwardId, get } = await forward(game, target)
  await system.database.sql(
    `insert into forward_set_aside (forward, stored, statement, reason)
      select f.id, n, gen_random_uuid(), 'no' from forward f, generate_series(1, 1000) n where f.uuid = $1`,
    [forwardId],
  )
  await system.admin.forwards.pauseForward({ forwardId, paused: false })
  await send(game, [statement()])
  await vi.waitFor(async () => expect((await get()).forward).toMatchObject({ state: ForwardState.FAILING }), patient)
  const { forward: full, setAside } = await get()
  expect(full!.problem).toContain('1000 statements are set aside')
  expect([setAside.length, target.posts().length]).toEqual([100, 0])
})

test('the metrics count', async () => {
  const text = await system.cores[0]!.metrics.metrics()
  expect(text).toMatch(/lrs_core_forwarded_total\{outcome="sent"\} \d/)
  expect(text).toMatch(/lrs_core_forwards\{state="failing"\} [1-9]/)
  expect(text).toMatch(/lrs_core_forward_failures_total\{why="blocked"\} [1-9]/)
  expect(text).toMatch(/lrs_core_forward_set_aside \d/)
  expect(text).toMatch(/lrs_core_forward_lag_seconds \d/)
})
