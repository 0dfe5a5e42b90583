import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DescMethod } from '@bufbuild/protobuf'
import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NotAudited } from '../core/process/methods/audit-entries.ts'
import { auditedActions, declaredOf } from '../core/rpc/services/services.ts'
import type { AuditEntry } from '../gen/lrs/v1/audit_pb.js'
import type { Orientation } from '../gen/lrs/v1/games_pb.js'
import { contract } from './support/contract.ts'
import { reasonOf } from './support/failures.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: PortalSystem
let fox: Studio
let owl: Studio
let reviewer: Studio
beforeAll(async () => {
  system = await startPortalSystem()
  fox = await system.studio('Blue Fox')
  owl = await system.studio('Owl')
  reviewer = await system.studio('Judge', { reviewer: true })
})
afterAll(() => system.close())

const methods = contract.flatMap(({ methods }) => methods)
const isAudited = (method: DescMethod) => !(declaredOf(method)!.audit instanceof NotAudited)

const flush = () => Promise.all(system.cores.map((core) => core.audit.flush()))
const allEntries = async (filter = {}): Promise<AuditEntry[]> => {
  await flush()
  return (await system.admin.audit.listEntries({ filter, page: { limit: 100 } })).entries
}
const ownEntries = async (studio: Studio, filter = {}): Promise<AuditEntry[]> => {
  await flush()
  return (await studio.on().audit.listOwnEntries({ filter, page: { limit: 100 } })).entries
}

/** The portal's calls for a visitor at this address. */
const visitor = (senderIp: string, session?: string) =>
  system.connections[0]!.as(bearer(tokens.portal), {
    'x-lrs-sender': senderIp,
    'x-request-id': 'request-1',
    ...(session === undefined ? {} : { 'x-lrs-session': session }),
  })

test('every method of the contract has an entry in the audit log, or a reason why not', () => {
  expect(methods.length).toBeGreaterThan(90)
  for (const method of methods)
    expect(declaredOf(method)?.audit, `${method.parent.typeName}/${method.name}`).toBeDefined()
  const unnamed = methods
    .filter((method) => !isAudited(method))
    .filter(({ name }) => !/^(?:Get|List|Find|Check|Watch|Locate|Inspect|Observe|Server|Exchange)/.test(name))
  expect(unnamed.map(({ name }) => name).toSorted()).toEqual([
    'AllowDevice',
    'AskCode',
    'BeginConfirmation',
    'BeginPasskey',
    'BeginPasskeySignIn',
    'BeginTotp',
    'CancelUpload',
    'CompareFiles',
    'ContactStudio',
    'CountExport',
    'CreateChallenge',
    'DeleteDocument',
    'DeleteDocuments',
    'DenyDevice',
    'EndLaunch',
    'EndOwnDevice',
    'JoinByCard',
    'JoinLesson',
    'LaunchLti',
    'LeaveSeat',
    'MakeLink',
    'MarkNotifications',
    'NameSeat',
    'OpenSandbox',
    'PickLtiLink',
    'PreviewDeletion',
    'PreviewRetention',
    'PutDocument',
    'ReportGame',
    'RequestUpload',
    'ResumeUpload',
    'StartBeta',
    'StartLtiLogin',
    'StartLtiPlay',
    'StartOnDevice',
    'StartPlay',
    'StartProviderLink',
    'StartProviderSignIn',
    'StartSeat',
    'StoreStatements',
    'StoreStatementsStream',
    'StoreWithAttachments',
    'SwitchStudio',
    'TestProvider',
  ])
})

test('an entry says who did what to what, when, from where, and in which request', async () => {
  const { gameId } = await visitor('203.0.113.7', fox.session).games.createGame({ name: 'Chess' })
  const [entry] = await allEntries({ action: 'game.create' })
  expect(entry).toMatchObject({
    action: 'game.create',
    actor: { kind: 'account', name: fox.email },
    subject: { kind: 'game', id: gameId, name: 'Chess' },
    outcome: 'ok',
    address: '203.0.113.7',
    request: 'request-1',
    count: 1,
  })
  expect(Math.abs(Number(entry!.time) - Date.now())).toBeLessThan(60_000)
})

test('refusals are counted: one entry a minute for a stranger, whatever address of an account is tried', async () => {
  const stranger = visitor('198.51.100.9').accounts
  const attempt = (email: string) =>
    stranger.signIn({ email, password: 'guess guess guess', senderIp: '198.51.100.9' }).catch(() => {})
  const email = 'ann@example.org'
  const password = 'correct horse battery'
  const { session } = await visitor('203.0.113.8').accounts.signUp({
    email,
    password,
    studioName: 'Ann',
    senderIp: '203.0.113.8',
  })
  for (let n = 0; n < 12; n++) await attempt(`nobody-${n}@example.org`)
  await attempt(email)
  await attempt(email.toUpperCase())
  const entries = (await allEntries({ action: 'account.sign-in' })).filter(({ address }) => address === '198.51.100.9')
  expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(14)
  expect(entries).toHaveLength(2)
  expect(entries.every(({ actor, outcome }) => actor!.kind === 'stranger' && outcome === 'unauthenticated')).toBe(true)
  // addresses without an account are not kept: some people type their password there
  expect(entries.flatMap(({ subject }) => (subject ? [subject.name] : []))).toEqual([email])
  await flush()
  const own = await visitor('203.0.113.8', session).audit.listOwnEntries({})
  expect(own.entries.map(({ action, outcome, count, address }) => [action, outcome, count, address])).toEqual([
    ['account.sign-in', 'unauthenticated', 2, '198.51.100.9'],
    ['account.sign-up', 'ok', 1, '203.0.113.8'],
  ])
  expect(own.entries[1]!.actor).toMatchObject({ kind: 'account', name: email })
})

test('a studio sees its own entries only; whoever is not of it has no name there', async () => {
  const { gameId } = await system.publish(fox, 'Quiz')
  await owl.on().games.createGame({ name: 'Secret of Owl' })
  await expect(owl.on().games.deleteGame({ gameId })).rejects.toThrow()
  const { game } = await fox.on().games.getGame({ gameId })
  await fox.on().games.updateGame({ gameId, name: 'Quiz', summary: 'Another line.', description: '' })
  await fox.on().games.submitForReview({ gameId, message: '' })
  await reviewer.on().games.decideReview({ gameId, buildId: game!.live!.buildId, approved: true, note: '' })

  const own = await ownEntries(fox)
  const decisions = own.filter(({ action }) => action === 'game.decide-review')
  expect(decisions).toHaveLength(2)
  for (const { actor, subject, details } of decisions) {
    expect(['', actor!.name]).toContain(actor!.id)
    expect(subject).toMatchObject({ id: gameId, name: 'Quiz' })
    expect(details['approved']).toBe('true')
  }
  expect(own.map(({ actor }) => actor!.name)).not.toContain(reviewer.email)
  expect(own.some(({ actor }) => actor!.name === owl.email || actor!.id === 'admin')).toBe(false)

  const ofOwl = await ownEntries(owl)
  expect(ofOwl.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['game.delete', 'not-found'],
    ['game.create', 'ok'],
  ])
  // whoever is refused does not learn what a game of others is called
  expect(ofOwl[0]!.subject).toMatchObject({ id: gameId, name: '' })
  await expect(owl.on().audit.listEntries({})).rejects.toThrow(/Only admins/)
})

test('pages go along the log, forwards and backwards, with filters', async () => {
  const studio = await system.studio('Many')
  const { gameId } = await studio.on().games.createGame({ name: 'First' })
  for (let n = 0; n < 6; n++)
    await studio.on().games.updateGame({ gameId, name: `Name ${n}`, summary: '', description: '' })
  const walk = async (ascending: boolean, filter = {}): Promise<string[]> => {
    const names: string[] = []
    for (let position = '', pages = 0; pages < 10; pages++) {
      const { entries, next } = await studio
        .on()
        .audit.listOwnEntries({ filter, page: { limit: 3, ascending, position } })
      names.push(...entries.map(({ subject }) => subject!.name))
      if (next === '' || next === position) break
      position = next
    }
    return names
  }
  const names = ['Name 5', 'Name 4', 'Name 3', 'Name 2', 'Name 1', 'Name 0']
  expect(await walk(false)).toEqual([...names, 'First'])
  expect(await walk(false, { action: 'game' })).toEqual([...names, 'First'])
  expect(await walk(false, { action: 'game.update' })).toEqual(names)
  expect(await walk(false, { action: 'gam' })).toEqual([])
  expect(await walk(false, { actor: studio.email.toUpperCase() })).toHaveLength(7)
  expect(await walk(false, { actor: fox.email })).toEqual([])
  expect(await walk(false, { since: BigInt(Date.now() + 60_000) })).toEqual([])
  expect(await walk(false, { until: BigInt(Date.now() - 60_000) })).toEqual([])
  // those of the last seconds come later: others may still be committing
  expect(await walk(true)).toEqual([])
  await expect(studio.on().audit.listOwnEntries({ page: { position: 'x' } })).rejects.toThrow(/page before/)
  await expect(system.admin.audit.checkEntries({ after: 2n ** 64n - 1n })).rejects.toThrow(/after: must/)
})

test('entries are neither changed nor deleted, but for the retention', async () => {
  const { sql } = system.database
  const days = (age: number) =>
    sql<{ id: string }>(
      `insert into audit_entry (id, action, actor, address)
       values (audit_id(now() - make_interval(days => $1)), 'test.old', 'service', '192.0.2.1') returning id`,
      [age],
    )
  for (const age of [10, 40, 500]) await days(age)
  for (const text of [
    "update audit_entry set action = 'other'",
    'delete from audit_entry',
    'truncate audit_entry',
    // even with what the retention sets, nothing of the last 30 days goes
    "with s as materialized (select set_config('games_lrs.audit_sweep', 'on', false)) delete from audit_entry using " +
      "s where action <> 'test.old'",
    "with s as materialized (select set_config('games_lrs.audit_sweep', 'on', false)) update audit_entry set " +
      "address = null from s where audit_entry.id > audit_id(now() - interval '20 days')",
    "with s as materialized (select set_config('games_lrs.audit_sweep', 'on', false)) update audit_entry set action " +
      "= 'x' from s where action = 'test.old'",
  ])
    await expect(sql(text), text).rejects.toThrow(/audit log only grows/)
  const { audit } = system.cores[0]!.store
  while ((await audit.sweep(400, 1)) === 1);
  expect(await sql("select address from audit_entry where action = 'test.old' order by id desc")).toEqual([
    { address: '192.0.2.1' },
    { address: null },
    // it is not at the old end of the chain: test/audit-chain.test.ts has the deletion of what is
    { address: null },
  ])
})

test('no text of a request stands in the log but what is named here', async () => {
  /** Fields whose values are kept, for calls that are refused too. */
  const kept = new Set([
    'gameId',
    'passkeyId',
    'fileId',
    'uploadId',
    'buildId',
    'studioId',
    'invitationId',
    'classId',
    'lessonId',
    'deviceId',
    'accountId',
    'tokenId',
    'key',
    'prefix',
    'studio',
    'name',
    'exportId',
    'requestId',
    'viewId',
  ])
  const marked: string[] = []
  const mark = (field: string): string => {
    if (kept.has(field)) return field.endsWith('Id') ? randomUUID() : `kept-${field}`
    marked.push(`marked-${field}-${randomUUID()}`)
    return field === 'email' ? `${marked.at(-1)}@example.org` : marked.at(-1)!
  }
  const { gameId } = await fox.on().games.createGame({ name: 'Marked' })
  const headers: Interceptor[] = [bearer(tokens.admin), bearer(tokens.portal)].map(
    (authorization) => (next) => (request) => {
      request.header.set('authorization', authorization)
      if (authorization === bearer(tokens.portal)) request.header.set('x-lrs-session', fox.session)
      return next(request)
    },
  )
  const called = new Set<string>()
  for (const authorize of headers)
    for (const method of methods.filter((method) => isAudited(method))) {
      if (method.methodKind !== 'unary' || /^Sign(?:Out|Up)|^ChangePassword/.test(method.name)) continue
      called.add(method.name)
      const message = Object.fromEntries(
        method.input.fields.flatMap((field) => {
          if (field.fieldKind === 'scalar' && String(field.scalar) === '9')
            return [
              [field.localName, field.localName === 'gameId' && called.size % 2 === 0 ? gameId : mark(field.localName)],
            ]
          return []
        }),
      )
      const transport = createConnectTransport({
        baseUrl: `http://127.0.0.1:${system.cores[0]!.port}`,
        httpVersion: '1.1',
        interceptors: [authorize],
      })
      const client = createClient(method.parent, transport) as Record<string, (message: object) => Promise<unknown>>
      await client[method.localName]!(message).catch(() => {})
    }
  const password = `marked-password-${randomUUID()}`
  marked.push(password)
  const { session } = await visitor('192.0.2.9').accounts.signUp({
    email: `${randomUUID()}@example.org`,
    password,
    studioName: 'Marked',
    senderIp: '192.0.2.9',
  })
  marked.push(session)
  await visitor('192.0.2.9', session)
    .accounts.changePassword({ currentPassword: `${password}-no`, password: `${password}-2` })
    .catch(() => {})
  await flush()
  const log = (await system.database.sql<{ row: string }>('select t::text as row from audit_entry t'))
    .map(({ row }) => row)
    .join()
  expect(called.size).toBeGreaterThan(30)
  expect(marked.length).toBeGreaterThan(60)
  expect(log).toContain('kept-')
  expect(marked.filter((text) => log.includes(text))).toEqual([])
})

test('docs/audit.md names every action', () => {
  const text = readFileSync('docs/audit.md', 'utf8')
  expect(auditedActions().filter((action) => !text.includes(`\`${action}\``))).toEqual([])
})

test('a change of the player is written down, also with an orientation that this version does not know', async () => {
  const { gameId } = await fox.on().games.createGame({ name: 'Turned' })
  const player = { isolated: true, orientation: 99 as Orientation, embed: ['https://school.example'] }
  expect(await reasonOf(fox.on().games.setPlayer({ gameId, player }))).toBe('ok')
  const [entry] = await ownEntries(fox, { action: 'game.set-player' })
  expect(entry).toMatchObject({ subject: { id: gameId }, outcome: 'ok' })
  expect(entry!.details).toEqual({
    isolated: 'true',
    orientation: 'unspecified',
    pages: 'https://school.example',
    devices: 'false',
    link: 'none',
  })
})

test('what leaves a game is noted: the host of webhooks and forwards, and who takes a file', async () => {
  const studio = await system.studio('Sends')
  const { webhooks, forwards, classes, exports } = studio.on()
  const { gameId } = await system.publish(studio, 'Sent')
  const settings = { name: 'Ours', url: 'https://hooks.example/secret-path', events: ['statements.stored'] }
  const { webhook } = await webhooks.addWebhook({ gameId, settings })
  const { webhookId } = webhook!
  await webhooks.changeWebhook({ webhookId, settings: { ...settings, url: 'https://other.example:8443/x' } })
  await webhooks.rotateWebhookSecret({ webhookId })
  await webhooks.pauseWebhook({ webhookId, paused: true })
  await webhooks.removeWebhook({ webhookId })
  const target = { name: 'Store', endpoint: 'https://store.example/xapi', version: '1.0.3' }
  const { forward } = await forwards.addForward({ gameId, settings: target })
  await forwards.removeForward({ forwardId: forward!.forwardId })
  const { classId } = await classes.createClass({ gameId, name: 'A', nicknames: 1 })
  await classes.getClass({ gameId, classId: classId })
  await classes.getClass({ gameId, classId: classId, forFile: true })
  const { export: file } = await exports.startExport({ gameId })
  await exports.getExport({ exportId: file!.exportId })
  await exports.getExport({ exportId: file!.exportId, forFile: true })
  const entries = (await ownEntries(studio)).filter(({ outcome }) => outcome === 'ok').toReversed()
  const told = entries.slice(entries.findIndex(({ action }) => action === 'webhook.add'))
  for (const { action, subject } of told) expect(subject, action).toMatchObject({ id: gameId, name: 'Sent' })
  expect(told.map(({ action, details }) => [action, details['host'] ?? '', details['host before'] ?? ''])).toEqual([
    ['webhook.add', 'hooks.example', ''],
    ['webhook.change', 'other.example:8443', 'hooks.example'],
    ['webhook.rotate-secret', 'other.example:8443', ''],
    ['webhook.pause', 'other.example:8443', ''],
    ['webhook.remove', 'other.example:8443', ''],
    ['forward.add', 'store.example', ''],
    ['forward.remove', 'store.example', ''],
    ['invitation.create-class', '', ''],
    ['learner.download-results', '', ''],
    ['statements.export', '', ''],
    ['statements.download', '', ''],
  ])
  expect(told.at(-1)!.details['export']).toBe(file!.exportId)
})
