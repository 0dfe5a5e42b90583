import { afterAll, beforeAll, expect, test } from 'vitest'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { coreConnection } from '../support/core-client.ts'
import { allowed, outcomesOf, refused } from '../support/every-call.ts'
import { reasonOf } from '../support/failures.ts'
import { inTurns } from '../support/in-turns.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { player, statement } from '../support/statements.ts'
import { addStudio } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { basic, bearer } from '../support/xapi.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches({ rateLimitFactor: 0 })
})
afterAll(() => launches.system.close())

/** What everybody may see of the studio, and what its member may do. */
async function around() {
  const { system, fox, game, play } = launches
  const everybody = system.connections[1]!.as(bearer(tokens.portal))
  const member = fox.on(1)
  const asked = {
    'the page of the game': everybody.games.getPublishedGame({ slug: game.slug }),
    'the page of the studio': everybody.accounts.getPublicStudio({ slug: fox.slug }),
    play: play({ learnerName: 'Eve' }),
    'list games': member.games.listGames({}),
    'upload a build': member.uploads.requestUpload({
      gameId: game.id,
      kind: UploadKind.BROWSER_BUILD,
      fileName: 'a.zip',
      size: 10n,
    }),
    'sign in': member.accounts.getAccount({}),
  }
  return Object.fromEntries(
    await Promise.all(Object.entries(asked).map(async ([name, call]) => [name, await reasonOf(call)] as const)),
  )
}

test('no core serves its credentials, tokens, pages or members, all data stays, and lifting brings all back', async () => {
  const { system, fox, game, play } = launches
  const { key } = (await fox.on().games.getGame({ gameId: game.id })).game!.credential!
  const { secret } = await system.admin.identity.rotateCredential({ key })
  const other = await system.game()
  const [launch, sandbox] = [
    (await play({ learnerName: 'Ann' })).launch!,
    (await fox.on().launches.openSandbox({ gameId: game.id, learnerName: 'Tess' })).launch!,
  ]
  const agent = JSON.stringify(player('ann'))
  const callers = [
    [basic(key, secret), agent],
    [bearer(launch.token), launch.actor],
    [bearer(sandbox.token), sandbox.actor],
  ] as const
  const onEach = () =>
    inTurns(
      callers.flatMap(([authorization, agent]) => system.cores.map(({ port }) => ({ authorization, agent, port }))),
      1,
      async ({ authorization, agent, port }) => {
        // a connection of its own: core closes one on which refused callers call often
        const connection = coreConnection(port)
        try {
          return await outcomesOf(connection.as(authorization), agent)
        } finally {
          connection.close()
        }
      },
    )
  const stored = () =>
    system.database.sql('select (select count(*) from statement), (select max(updated) from document)')
  // both cores know the credentials
  for (const outcomes of await onEach()) expect(outcomes).toEqual(allowed(outcomes))
  const usual = await around()
  expect(new Set(Object.values(usual))).toEqual(new Set(['ok']))

  await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: true, note: 'The logo is not yours.' })
  const before = await stored()
  for (const outcomes of await onEach()) expect(outcomes).toEqual(refused(outcomes))
  expect(await around()).toEqual({
    'the page of the game': 'NOT_FOUND',
    'the page of the studio': 'NOT_FOUND',
    play: 'NOT_FOUND',
    'list games': 'FORBIDDEN',
    'upload a build': 'FORBIDDEN',
    'sign in': 'ok',
  })
  const { studio, suspended, suspendedNote } = await fox.on().accounts.getAccount({})
  expect([studio, suspended, suspendedNote]).toEqual([undefined, true, 'The logo is not yours.'])
  // a new secret changes nothing, and nobody else is touched
  const renewed = await system.admin.identity.rotateCredential({ key })
  expect(await reasonOf(system.connections[0]!.as(basic(key, renewed.secret)).statements.queryStatements({}))).toBe(
    'UNAUTHENTICATED',
  )
  expect((await other.xapi().post(statement())).status).toBe(200)
  const [{ count }] = (await stored()) as unknown as [{ count: string }]
  expect(Number(count)).toBe(Number((before[0] as unknown as { count: string }).count) + 1)

  await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: false })
  expect(await around()).toEqual(usual)
  const again = await outcomesOf(system.connections[1]!.as(basic(key, renewed.secret)), agent)
  expect(again).toEqual(allowed(again))
  const played = await outcomesOf(system.connections[0]!.as(bearer(launch.token)), launch.actor)
  expect(played).toEqual(allowed(played))
})

test('a suspended account has no session and cannot get one; another admin cannot be locked out by itself', async () => {
  const { system } = launches
  const owl = await addStudio(system, 'Wise Owl')
  const [{ uuid: accountId }] = (await system.database.sql<{ uuid: string }>(
    'update account set admin = true where id = $1 returning uuid',
    [owl.account],
  )) as [{ uuid: string }]
  expect(await reasonOf(owl.on().operator.suspendAccount({ accountId, suspended: true }))).toBe('CONFLICT')
  await system.admin.operator.suspendAccount({ accountId, suspended: true })
  expect(await reasonOf(owl.on(1).accounts.getAccount({}))).toBe('UNAUTHENTICATED')
  const { accounts } = await system.admin.operator.findAccounts({ find: owl.email })
  expect(accounts).toMatchObject([{ accountId, sessions: 0, admin: true }])
  const { password } = await system.admin.accounts.resetPassword({ email: owl.email })
  const signIn = () =>
    reasonOf(
      system.connections[0]!.as(bearer(tokens.portal)).accounts.signIn({
        email: owl.email,
        password,
        senderIp: '10.0.0.9',
      }),
    )
  expect(await signIn()).toBe('UNAUTHENTICATED')
  await system.admin.operator.suspendAccount({ accountId, suspended: false })
  expect(await signIn()).toBe('ok')
})
