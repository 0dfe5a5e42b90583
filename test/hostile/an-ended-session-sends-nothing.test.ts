import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Launch } from '../../gen/lrs/v1/launches_pb.js'
import { attachment, sha256, upload } from '../support/attachments.ts'
import type { CoreClient } from '../support/core-client.ts'
import { reasonOf } from '../support/failures.ts'
import { inTurns } from '../support/in-turns.ts'
import { payload, startLaunches, type Launches } from '../support/launches.ts'
import { activity, player, statement } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches({ rateLimitFactor: 0 })
})
afterAll(() => launches.system.close())

const portal = (core = 0) => launches.system.connections[core]!.as(bearer(tokens.portal)).launches
const startInvited = async () => {
  const { fox, game, play } = launches
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
  return (await play({ invitation: code })).launch!
}
const learnerOf = ({ actor }: Pick<Launch, 'actor'>): string => JSON.parse(actor).account.name

/** The answer to each kind of call, sent directly to a core, where no gateway remembers earlier refusals. */
async function outcomesOf(core: CoreClient, agent: string): Promise<Record<string, string>> {
  const { statements, attachments, documents } = core
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const id = crypto.randomUUID()
  const activityId = activity('chess').id
  const scope = { kind: { case: 'state', value: { activityId, agent } } } as const
  const document = { scope, id: 'x', content: json({}), contentType: 'application/json' }
  const sha2 = sha256('replay')
  const calls = {
    nothing: () => statements.storeStatements({ json: json([]) }),
    store: () => statements.storeStatements({ json: json(statement()) }),
    wrong: () => statements.storeStatements({ json: json({}) }),
    'store an attachment': () =>
      attachments.storeWithAttachments(
        upload(statement({ attachments: [attachment('replay')] }), [{ sha2, content: Buffer.from('replay') }]),
      ),
    'put a statement': () => statements.storeStatements({ json: json(statement({ id })), statementId: id }),
    'get a statement': () => statements.getStatement({ statementId: id }),
    query: () => statements.queryStatements({ verb: statement().verb.id, activity: activityId }),
    follow: async () => {
      for await (const _ of statements.follow({ start: { case: 'fromNow', value: true } })) break
    },
    'get an attachment': async () => {
      for await (const _ of attachments.getAttachment({ sha2 })) break
    },
    'get a person': () => statements.getPerson({ agent }),
    'get an activity': () => statements.getActivity({ activityId }),
    'put a document': () => documents.putDocument(document),
    'merge a document': () => documents.putDocument({ ...document, merge: true }),
    'get a document': () => documents.getDocument(document),
    'list documents': () => documents.listDocuments(document),
    'delete a document': () => documents.deleteDocument(document),
    'delete documents': () => documents.deleteDocuments(document),
  }
  const outcomes: Record<string, string> = {}
  for (const [name, call] of Object.entries(calls)) {
    // simultaneous calls share a query; followers are limited
    const together = name === 'follow' ? [call()] : [call(), call(), call()]
    outcomes[name] = [...new Set(await Promise.all(together.map(reasonOf)))].join()
  }
  return outcomes
}
const refused = (outcomes: Record<string, string>) =>
  Object.fromEntries(Object.keys(outcomes).map((name) => [name, 'UNAUTHENTICATED']))
const allowed = (outcomes: Record<string, string>) =>
  Object.fromEntries(Object.keys(outcomes).map((name) => [name, name === 'wrong' ? 'INVALID' : 'ok']))

const ways: Record<string, { start?: () => Promise<Launch>; end(launch: Launch): Promise<unknown> }> = {
  'a learner who leaves': { end: ({ sessionSecret }) => portal().endLaunch({ sessionSecret }) },
  'a revoked invitation': {
    start: startInvited,
    async end() {
      const { fox, game } = launches
      const { invitations } = await fox.on(1).launches.listInvitations({ gameId: game.id })
      await fox.on(1).launches.revokeInvitation({ gameId: game.id, invitationId: invitations[0]!.invitationId })
    },
  },
  'an admin, by the token': {
    end: ({ token }) => launches.system.admin.identity.endSessions({ sessions: { case: 'token', value: token } }),
  },
  'an admin, by the learner': {
    end: (launch) =>
      launches.system.admin.identity.endSessions({ sessions: { case: 'learnerId', value: learnerOf(launch) } }),
  },
  'the erasure of the learner': { end: ({ actor }) => launches.system.admin.admin.eraseLearner({ agent: actor }) },
}

test.each(Object.entries(ways))(
  'after %s no core serves any of its tokens, and all others go on',
  async (_, { start, end }) => {
    const { play, xapi, system } = launches
    const [launch, other] = [
      start ? await start() : (await play({ learnerName: 'Ann' })).launch!,
      (await play({ learnerName: 'Ben' })).launch!,
    ]
    const { token } = (await portal(1).getLaunch({ sessionSecret: launch.sessionSecret })).launch!
    const statusesOf = (one: Pick<Launch, 'token'>) =>
      Promise.all([0, 1, 0, 1].map(async (gateway) => (await xapi(one, gateway).post(statement())).status))
    const onEach = (one: Pick<Launch, 'token' | 'actor'>) =>
      inTurns(system.connections, 1, (core) => outcomesOf(core.as(bearer(one.token)), one.actor))
    const stored = () =>
      system.database.sql('select (select count(*) from statement), (select max(updated) from document)')
    // both cores know the credential and the tokens
    for (const outcomes of await onEach(launch)) expect(outcomes).toEqual(allowed(outcomes))
    expect(await statusesOf(launch)).toEqual([200, 200, 200, 200])

    await end(launch)
    const before = await stored()
    for (const one of [launch, { ...launch, token }]) {
      for (const outcomes of await onEach(one)) expect(outcomes).toEqual(refused(outcomes))
      expect(await statusesOf(one)).toEqual([401, 401, 401, 401])
    }
    expect(await stored()).toEqual(before)
    for (const core of [0, 1])
      expect(await reasonOf(portal(core).getLaunch({ sessionSecret: launch.sessionSecret }))).toBe('NOT_FOUND')
    for (const outcomes of await onEach(other)) expect(outcomes).toEqual(allowed(outcomes))
    // ending it twice is no error
    expect(await reasonOf(portal().endLaunch({ sessionSecret: launch.sessionSecret }))).toBe('ok')
  },
)

test('a token that an admin minted can be ended, too, and only sessions that run are counted', async () => {
  const { system } = launches
  const game = await system.game()
  const token = (await game.launch(player('ann'))).slice('Bearer '.length)
  const xapi = game.xapi(1).as(bearer(token))
  expect((await xapi.post(statement())).status).toBe(200)
  const end = () => system.admin.identity.endSessions({ sessions: { case: 'token', value: token } })
  expect([(await end()).ended, (await end()).ended]).toEqual([1, 0])
  expect((await xapi.post(statement())).status).toBe(401)
  expect(
    (
      await game
        .xapi(1)
        .as(await game.launch(player('ann')))
        .post(statement())
    ).status,
  ).toBe(200)
  const { launch } = await launches.play({ learnerName: 'Ann' })
  expect(payload(launch!.token).session).toBe(launch!.sessionId)
  const all = { sessions: { case: 'learnerId', value: learnerOf(launch!) } } as const
  expect([
    (await system.admin.identity.endSessions(all)).ended,
    (await system.admin.identity.endSessions(all)).ended,
  ]).toEqual([1, 0])
})

test('an invitation that is revoked while sessions start with it leaves none', async () => {
  const { fox, game, play, xapi } = launches
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
  const { invitations } = await fox.on().launches.listInvitations({ gameId: game.id })
  const starts = Array.from({ length: 20 }, () => play({ invitation: code }).catch(() => undefined))
  await starts[0]
  await fox.on().launches.revokeInvitation({ gameId: game.id, invitationId: invitations[0]!.invitationId })
  const started = (await Promise.all(starts)).filter((one) => one !== undefined)
  expect(started.length).toBeGreaterThan(0)
  for (const { launch } of started) expect((await xapi(launch!).post(statement())).status).toBe(401)
})
