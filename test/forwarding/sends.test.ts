import { createHash } from 'node:crypto'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ForwardState, type ForwardSettings } from '../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../support/games.ts'
import { player, statement, statements, verb, voiding } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs, type TargetLrs } from '../support/target-lrs.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 1, forwardMs: 50 })
})
afterAll(() => system.close())

const patient = { timeout: 30_000, interval: 50 }
const send = (game: Game, list: object[], version?: string) =>
  game.rpc(0, version).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const basic = { kind: { case: 'basic', value: { user: 'ann', password: 'very-secret-password' } } } as const

/** Adds a forward that begins in the past. */
async function forward(
  game: Game,
  target: TargetLrs,
  settings: Partial<Pick<ForwardSettings, 'verb' | 'version' | 'pseudonyms' | 'bare' | 'attachments'>> = {},
  since = '2000-01-01T00:00:00Z',
) {
  const { forward } = await system.admin.forwards.addForward({
    gameId: game.id,
    settings: { name: 'Partner', endpoint: target.endpoint, version: '1.0.3', ...settings },
    credential: basic,
    since,
  })
  const { forwardId } = forward!
  const get = () => system.admin.forwards.getForward({ forwardId })
  return { forwardId, get, state: async () => (await get()).forward! }
}
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)

test('what is stored goes on in order, each once, in batches, with the credential', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const before = statements(130)
  await send(game, before)
  const { state } = await forward(game, target)
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(before)), patient)
  const after = statements(5)
  for (const one of after) await send(game, [one])
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf([...before, ...after])), patient)
  expect(Math.max(...target.posts().map((post) => post.statements.length))).toBe(50)
  expect(new Set(target.times.values())).toEqual(new Set([1]))
  const [first] = target.posts()
  expect(first!.headers).toMatchObject({
    'x-experience-api-version': '1.0.3',
    authorization: `Basic ${Buffer.from('ann:very-secret-password').toString('base64')}`,
  })
  // the target writes these itself
  expect(first!.statements[0]).not.toHaveProperty('authority')
  expect(first!.statements[0]).not.toHaveProperty('stored')
  await vi.waitFor(async () => {
    expect(await state()).toMatchObject({ state: ForwardState.RUNNING, sent: 135n, setAside: 0n, behindSeconds: 0n })
  }, patient)
  expect(JSON.stringify(await state(), (_, value) => String(value))).not.toContain('very-secret')
})

test('a statement that the target refuses is set aside with its reason, and all others go on', async () => {
  const game = await system.game()
  const list = statements(60)
  const bad = new Set([list[7]!.id, list[8]!.id, list[55]!.id])
  const target = await targetLrs(({ statements }) =>
    statements.some(({ id }) => bad.has(id))
      ? { status: 400, text: 'no chess\nhere, very-secret-password' }
      : undefined,
  )
  await send(game, list)
  const { forwardId, get, state } = await forward(game, target)
  await vi.waitFor(async () => expect((await state()).setAside).toBe(3n), patient)
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(list).filter((id) => !bad.has(id))), patient)
  const { setAside } = await get()
  expect(new Set(setAside.map(({ statementId }) => statementId))).toEqual(bad)
  expect(setAside[0]!.reason).toBe('400: no chess here, …')
  // once more, when the target takes them
  target.how.answer = () => undefined
  await system.admin.forwards.retrySetAside({ forwardId })
  await vi.waitFor(async () => expect((await state()).setAside).toBe(0n), patient)
  expect(target.ids().toSorted()).toEqual(idsOf(list).toSorted())
})

test('what the target has already under its id counts as sent; another statement of this id does not', async () => {
  const game = await system.game()
  const [same, other] = statements(2)
  const target = await targetLrs((got) =>
    got.statements.some(({ id }) => target.kept.has(id)) ? { status: 409, text: 'there' } : undefined,
  )
  target.kept.set(same.id, { ...same, stored: '2026-01-01T00:00:00Z' })
  target.kept.set(other.id, { ...other, verb: verb('lost') })
  await send(game, [same, other])
  const { get } = await forward(game, target)
  await vi.waitFor(
    async () => expect((await get()).setAside).toMatchObject([{ statementId: other.id, reason: '409: there' }]),
    patient,
  )
  expect((await get()).forward).toMatchObject({ sent: 1n, setAside: 1n })
})

test.each([401, 403, 404, 500, 302, 200])('after %d nothing is set aside: it is tried again later', async (status) => {
  const game = await system.game()
  const list = statements(3)
  const target = await targetLrs(({ method }) =>
    method === 'POST'
      ? { status, text: '<p>very-secret-password</p>', headers: { location: 'http://127.0.0.1:1/' } }
      : undefined,
  )
  await send(game, list)
  const { forwardId, state } = await forward(game, target)
  await vi.waitFor(async () => expect((await state()).state).toBe(ForwardState.FAILING), patient)
  const { problem, nextAttempt, setAside, sent } = await state()
  expect([setAside, sent, problem.includes(String(status)), problem.includes('very-secret')]).toEqual([
    0n,
    0n,
    true,
    false,
  ])
  expect(Number(nextAttempt) * 1000 - Date.now()).toBeGreaterThan(1_000)
  target.how.answer = () => undefined
  await system.database.sql('update forward set next_attempt = now() where uuid = $1', [forwardId])
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(list)), patient)
})

test('Retry-After is kept', async () => {
  const game = await system.game()
  const target = await targetLrs(() => ({ status: 429, headers: { 'retry-after': '1000' } }))
  await send(game, [statement()])
  const { state } = await forward(game, target)
  await vi.waitFor(async () => expect((await state()).failures).toBe(1), patient)
  expect(Number((await state()).nextAttempt) - Date.now() / 1000).toBeGreaterThan(900)
})

test('after 413 requests have fewer statements', async () => {
  const game = await system.game()
  const target = await targetLrs(({ statements }) => (statements.length > 8 ? { status: 413 } : undefined))
  const list = statements(120)
  await send(game, list)
  await forward(game, target)
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(list)), patient)
  expect(target.posts().at(-1)!.statements.length).toBeLessThanOrEqual(8)
})

test('a filter chooses; statements that void one that went on go on', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const [won, lost] = [statement({ verb: verb('won') }), statement({ verb: verb('lost') })]
  await send(game, [won, lost])
  const { state } = await forward(game, target, { verb: verb('won').id })
  await vi.waitFor(() => expect(target.ids()).toEqual([won.id]), patient)
  const voids = voiding(won.id)
  await send(game, [voiding(lost.id), voids])
  await vi.waitFor(() => expect(target.ids()).toEqual([won.id, voids.id]), patient)
  // the position moves on without anything that matches
  const { through } = await state()
  await system.database.sql('update forward set next_attempt = now()')
  await vi.waitFor(async () => expect((await state()).through).toBeGreaterThan(through), patient)
})

test('pseudonyms: no name, no id of a learner, no attachment in what is sent', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const actor = { ...player('ann-of-the-hill'), name: 'Ann Hill' }
  const one = statement({
    actor,
    context: { instructor: { mbox: 'mailto:ben@example.org' }, extensions: { 'https://x.example/e': 'Ann Hill' } },
    result: { response: 'Ann Hill' },
    attachments: [
      {
        usageType: 'https://x.example/picture',
        display: { en: 's' },
        contentType: 'application/octet-stream',
        length: 1,
        sha2: 'a'.repeat(64),
        fileUrl: 'https://files.example/ann-of-the-hill',
      },
    ],
  })
  await send(game, [one])
  await forward(game, target, { pseudonyms: true, bare: true })
  await vi.waitFor(() => expect(target.ids()).toHaveLength(1), patient)
  const sent = target.posts()[0]!.body.toString()
  for (const secret of ['Hill', 'hill', 'ben@', one.id, 'attachments']) expect(sent).not.toContain(secret)
  expect(sent).toMatch(/"name":"([\w-]{22})","account":\{"homePage":"https:\/\/pseudonym\.invalid\/","name":"\1"/)
})

test('what is new in 2.0 is set aside for a 1.0.3 target, and goes to a 2.0 target', async () => {
  const game = await system.game()
  const [old, recent] = await Promise.all([targetLrs(), targetLrs()])
  const agents = statement({ context: { contextAgents: [{ objectType: 'contextAgent', agent: player('ben') }] } })
  const simple = statement()
  await send(game, [agents, simple], '2.0.0')
  const { get } = await forward(game, old)
  await forward(game, recent, { version: '2.0.0' })
  await vi.waitFor(() => expect(old.ids()).toEqual([simple.id]), patient)
  await vi.waitFor(() => expect(recent.ids()).toEqual([agents.id, simple.id]), patient)
  expect(old.kept.get(simple.id)).not.toHaveProperty('version')
  await vi.waitFor(
    async () => expect((await get()).setAside[0]?.reason).toContain('contextAgents exists only'),
    patient,
  )
})

test('contents of attachments go along, or what needs one is set aside', async () => {
  const game = await system.game()
  const content = Buffer.from('a picture of the board')
  const sha2 = createHash('sha256').update(content).digest('hex')
  const one = statement({
    attachments: [
      {
        usageType: 'https://x.example/u',
        display: { en: 'a' },
        contentType: 'text/plain',
        length: content.length,
        sha2,
      },
    ],
  })
  const boundary = 'b123'
  const body = [
    `--${boundary}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify([one])}`,
    `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${sha2}`,
    `\r\n\r\n${content}\r\n--${boundary}--\r\n`,
  ].join('')
  const stored = await fetch(`${system.urls[0]}/xapi/statements`, {
    method: 'POST',
    headers: {
      authorization: game.authorization,
      'x-experience-api-version': '1.0.3',
      'content-type': `multipart/mixed; boundary=${boundary}`,
    },
    body,
  })
  expect(stored.status).toBe(200)
  const [withAll, without] = await Promise.all([targetLrs(), targetLrs()])
  await forward(game, withAll, { attachments: true })
  const { get } = await forward(game, without)
  await vi.waitFor(() => expect(withAll.ids()).toEqual([one.id]), patient)
  const [post] = withAll.posts()
  expect(post!.headers['content-type']).toMatch(/^multipart\/mixed; boundary=/)
  expect(post!.body.toString()).toContain(`X-Experience-API-Hash: ${sha2}\r\n\r\n${content}\r\n`)
  await vi.waitFor(async () => expect((await get()).setAside[0]?.reason).toContain('sends none'), patient)
  expect(without.ids()).toEqual([])
})

test('paused, resumed, sent again from a time, removed', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const { forwardId, state } = await forward(game, target)
  await system.admin.forwards.pauseForward({ forwardId, paused: true })
  const one = statement()
  await send(game, [one])
  await new Promise((done) => setTimeout(done, 500))
  expect([target.ids(), (await state()).state]).toEqual([[], ForwardState.PAUSED])
  await system.admin.forwards.pauseForward({ forwardId, paused: false })
  await vi.waitFor(() => expect(target.ids()).toEqual([one.id]), patient)
  await system.admin.forwards.sendAgain({ forwardId, since: '2001-01-01T00:00:00Z' })
  await vi.waitFor(() => expect(target.times.get(one.id)).toBe(2), patient)
  await system.admin.forwards.removeForward({ forwardId })
  await expect(state()).rejects.toThrow('no such forward')
  await send(game, [statement()])
  await new Promise((done) => setTimeout(done, 500))
  expect(target.ids()).toEqual([one.id])
})

test('a test asks and stores nothing; five forwards are the most; a new endpoint needs the credential', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const settings = { name: 'x', endpoint: target.endpoint, version: '1.0.3' }
  const ask = (endpoint: string) =>
    system.admin.forwards.testForward({ gameId: game.id, settings: { ...settings, endpoint }, credential: basic })
  expect((await ask(`${target.endpoint}/`)).problem).toBe('')
  target.how.answer = ({ url }) => (url.includes('statements') ? { status: 401 } : undefined)
  expect((await ask(target.endpoint)).problem).toContain('401 (the credential is wrong)')
  expect(target.posts()).toEqual([])
  expect((await ask('https://10.0.0.1/xapi')).problem).toContain('no public host')
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => forward(game, target)))
  const sixth = await forward(game, target).catch((error: unknown) => ConnectError.from(error).rawMessage)
  expect(sixth).toContain('5 forwards')
  const { forwardId } = all[0]!
  const elsewhere = { forwardId, settings: { ...settings, endpoint: 'https://evil.example/xapi' } }
  await expect(system.admin.forwards.changeForward(elsewhere)).rejects.toThrow('must be given again')
  await expect(
    system.admin.forwards.testForward({ gameId: game.id, forwardId, settings: elsewhere.settings }),
  ).rejects.toThrow('must be given again')
})
