import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampled } from '../support/sampled.ts'
import type { Launch } from '../../gen/lrs/v1/launches_pb.js'
import { allowed, outcomesOf, refused } from '../support/every-call.ts'
import { reasonOf } from '../support/failures.ts'
import { inTurns } from '../support/in-turns.ts'
import { payload, startLaunches, type Launches } from '../support/launches.ts'
import { player, statement } from '../support/statements.ts'
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
  'the end of its device': {
    start: async () => (await launches.link()).launch!,
    async end({ actor }) {
      const { fox, game } = launches
      const { devices } = await fox.on(1).devices.listDevices({ gameId: game.id, learnerId: learnerOf({ actor }) })
      await fox.on(1).devices.endDevice({ gameId: game.id, deviceId: devices[0]!.deviceId })
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

/** One of each service; every kind of call is sent after one of the ends, which all mark the session. */
const some = ['store', 'store an attachment', 'query', 'follow', 'get an attachment', 'put a document']

for (const { cases, tags } of sampled(Object.entries(ways), 3))
  test.each(cases)(
    'after %s no core serves any of its tokens, and all others go on',
    { tags },
    async (way, { start, end }) => {
      const calls = way === 'a learner who leaves' ? [] : some
      const { play, xapi, system } = launches
      const [launch, other] = [
        start ? await start() : (await play({ learnerName: 'Ann' })).launch!,
        (await play({ learnerName: 'Ben' })).launch!,
      ]
      const { token } = (await portal(1).getLaunch({ sessionSecret: launch.sessionSecret })).launch!
      const statusesOf = (one: Pick<Launch, 'token'>) =>
        Promise.all([0, 1, 0, 1].map(async (gateway) => (await xapi(one, gateway).post(statement())).status))
      const onEach = (one: Pick<Launch, 'token' | 'actor'>) =>
        inTurns(system.connections, 1, (core) => outcomesOf(core.as(bearer(one.token)), one.actor, calls))
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
