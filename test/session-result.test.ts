import { afterAll, beforeAll, expect, test } from 'vitest'
import { reasonOf } from './support/failures.ts'
import { startLaunches, type Launches } from './support/launches.ts'
import { statement } from './support/statements.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'
import type { Launch } from '../gen/lrs/v1/launches_pb.js'

/** The result of a session, for its learner. */
let { system, fox, game, sandbox, xapi, play } = {} as Launches
beforeAll(async () => {
  ;({ system, fox, game, sandbox, xapi, play } = await startLaunches())
})
afterAll(() => system.close())

const anybody = () => system.connections[1]!.as(bearer(tokens.portal)).launches
const ofGame = (launch: Launch, verb: string, result?: object, registration = launch.registration) =>
  statement({
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
    object: { id: launch.activityId },
    context: { registration },
    result,
  })

test('a session has its own result, while it runs and after its end', async () => {
  const { launch, learnerToken } = await play({ learnerName: 'Ann' })
  await xapi(launch!).post([ofGame(launch!, 'initialized'), ofGame(launch!, 'completed', { score: { scaled: 0.75 } })])
  const { sessionSecret } = launch!
  const ask = async (brief = false) => anybody().getResult({ sessionSecret, brief })
  expect(await ask(true)).toMatchObject({ ended: 'completed', score: { scaled: 0.75 }, gameId: game.id })
  await xapi(launch!).post(ofGame(launch!, 'terminated', { success: true, duration: 'PT70S' }))
  await anybody().endLaunch({ sessionSecret })
  expect(await ask()).toMatchObject({
    learnerName: 'Ann',
    ended: 'terminated',
    statements: 3,
    score: { scaled: 0.75 },
    success: true,
    completion: true,
    seconds: 70,
  })
  expect((await ask()).endedAgo).toBeGreaterThanOrEqual(0)
  // the next session of the same learner begins with nothing
  const { launch: next } = await play({ learnerToken })
  expect(await anybody().getResult({ sessionSecret: next!.sessionSecret })).toMatchObject({ statements: 0, ended: '' })
})

test('what others send with its registration does not count, nor what was voided', async () => {
  const [{ launch: ann }, { launch: mallory }] = [
    await play({ learnerName: 'Ann' }),
    await play({ learnerName: 'Mal' }),
  ]
  await xapi(mallory!).post(ofGame(mallory!, 'completed', { score: { scaled: 1 } }, ann!.registration))
  const { sessionSecret } = ann!
  expect(await anybody().getResult({ sessionSecret })).toMatchObject({ statements: 0, ended: '' })
  const mistake = ofGame(ann!, 'completed', { score: { scaled: 1 } })
  await xapi(ann!).post(mistake)
  expect((await anybody().getResult({ sessionSecret })).score?.scaled).toBe(1)
  await system.database.sql('update statement set voided = true where id = $1', [mistake.id])
  expect((await anybody().getResult({ sessionSecret })).score).toBeUndefined()
})

test('only who has the secret of a learner’s session gets a result, until 15 minutes after its time', async () => {
  const { launch } = await play({ learnerName: 'Ann' })
  const { sessionSecret } = launch!
  const refused = ['none', '', (await sandbox()).sessionSecret].map((one) =>
    anybody().getResult({ sessionSecret: one }),
  )
  expect(await Promise.all(refused.map(reasonOf))).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
  const asPlayer = system.connections[0]!.as(bearer(tokens.player)).launches
  expect(await reasonOf(asPlayer.getResult({ sessionSecret }))).toBe('FORBIDDEN')
  const expired = (minutes: number) =>
    system.database.sql(`update launch set expires = now() - $2 * interval '1 minute' where uuid = $1`, [
      launch!.sessionId,
      minutes,
    ])
  await expired(14)
  expect(await reasonOf(anybody().getResult({ sessionSecret }))).toBe('ok')
  await expired(16)
  expect(await reasonOf(anybody().getResult({ sessionSecret }))).toBe('NOT_FOUND')
})

test('the pages that may show a game are set by its studio, and told with the published game', async () => {
  const { games } = fox.on()
  const player = { isolated: true, embed: ['https://school.example/', 'http://localhost:3000'] }
  await games.setPlayer({ gameId: game.id, player })
  const kept = { isolated: true, embed: ['https://school.example', 'http://localhost:3000'] }
  expect((await games.getGame({ gameId: game.id })).game!.player).toMatchObject(kept)
  const { player: told } = await system.connections[0]!.as(bearer(tokens.portal)).games.getPublishedGame({
    slug: game.slug,
  })
  expect(told).toMatchObject(kept)
  expect(await reasonOf(games.setPlayer({ gameId: game.id, player: { embed: ['https://*'] } }))).toBe('INVALID')
  expect((await games.getGame({ gameId: game.id })).game!.player).toMatchObject(kept)
  await games.setPlayer({ gameId: game.id })
  expect((await games.getGame({ gameId: game.id })).game!.player!.embed).toEqual([])
})
