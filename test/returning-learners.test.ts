import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formerKeys } from '../core/analytics/rules/former-key.ts'
import { agentKey } from '../core/records/xapi/identify.ts'
import { expireNext } from './support/expire-next.ts'
import type { Game } from './support/games.ts'
import { ageIn, receiptsIn, tenantIn } from './support/retention.ts'
import { activity, player, statement, type Agent } from './support/statements.ts'
import { secretKey, startSystem, type System } from './support/system.ts'

/** Retention removes statements, and keeps of their learners a keyed hash: who returns is not new. */
let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

const dayMs = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
const completed = (who: Agent, days: number) =>
  statement({
    actor: who,
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: activity('level'),
    timestamp: ago(days),
  })
const send = async (game: Game, list: object[]) =>
  (await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

/** Statements that happened `days` days ago. */
async function old(game: Game, people: readonly Agent[], days: number): Promise<void> {
  const ids = await send(
    game,
    people.map((who) => completed(who, days)),
  )
  await ageIn(system, game, ids, days)
}

async function expired(game: Game, retention: object): Promise<void> {
  await system.admin.retention.setRetention({ gameId: game.id, retention })
  await receiptsIn(system, game.id)
}

async function counted(game: Game) {
  for (;;) {
    const days = { from: ago(300).slice(0, 10), to: ago(-1).slice(0, 10) }
    const { complete, recounting, ...answer } = await system.admin.answers.getAnswers({ gameId: game.id, ...days })
    if (!complete || recounting) continue
    const { people, newPeople, funnel, returns, levels } = answer
    return {
      people: Number(people),
      newPeople: Number(newPeople),
      started: funnel!.levels.map(({ started }) => Number(started)),
      cohorts: returns!.cohorts.filter((one) => one.people > 0n).map((one) => [one.day, Number(one.people)]),
      attempts: levels!.levels.map(({ attempts }) => Number(attempts)),
    }
  }
}

const rows = async (game: Game) =>
  system.database.sql<{ learner: string; first_day: number; last_day: number }>(
    'select learner, first_day, last_day from former_learner where game = $1',
    [await tenantIn(system, game)],
  )
const learnersOf = async (game: Game) => (await rows(game)).map(({ learner }) => learner.replaceAll('-', '')).toSorted()
const hashOf = async (game: Game, who: Agent) =>
  formerKeys([secretKey])(await tenantIn(system, game), agentKey(who)!)[0]!

const twoPeople = (): [Agent, Agent] => [player(`ann-${randomUUID()}`), player(`ben-${randomUUID()}`)]

test.each([true, false])('who returns is not new; charts open before: %s', async (isOpen) => {
  const game = await system.game()
  const [ann, ben] = twoPeople()
  const team: Agent = { ...ann, objectType: 'Group' }
  await old(game, [ann, ann, team], 200)
  if (isOpen) expect(await counted(game)).toMatchObject({ people: 1, newPeople: 1 })
  await expired(game, { statementMonths: 3 })
  expect(await counted(game)).toEqual({ people: 0, newPeople: 0, started: [], cohorts: [], attempts: [] })
  expect(await learnersOf(game)).toEqual([await hashOf(game, ann)])
  const day = Math.floor((Date.now() - 200 * dayMs) / dayMs)
  expect(await rows(game)).toMatchObject([{ first_day: day, last_day: day }])

  const today = ago(0).slice(0, 10)
  await send(game, [completed(ann, 0), completed(ben, 0), completed(team, 0)])
  const returned = { people: 2, newPeople: 1, started: [1], cohorts: [[today, 1]], attempts: [3] }
  expect(await counted(game)).toEqual(returned)
  // the next day of the same learner, and all of them counted again in another zone
  await send(game, [completed(ann, 0)])
  const tenant = await tenantIn(system, game)
  await system.database.sql("update tenant set zone = 'Etc/GMT+0', version = version + 1 where game = $1", [tenant])
  await expect.poll(async () => (await counted(game)).attempts).toEqual([4])
  expect(await counted(game)).toEqual({ ...returned, attempts: [4] })

  // a device that was offline since before the first expired statement
  await send(game, [completed(ann, 250)])
  expect(await counted(game)).toMatchObject({
    newPeople: 2,
    started: [2],
    cohorts: [
      [ago(250).slice(0, 10), 1],
      [today, 1],
    ],
  })
})

test('who has statements left is not new on the day of the first of them', async () => {
  const game = await system.game()
  const [ann, ben] = twoPeople()
  await old(game, [ann], 200)
  await old(game, [ann, ben], 50)
  expect(await counted(game)).toMatchObject({ people: 2, newPeople: 2, started: [2] })
  await expired(game, { statementMonths: 3 })
  expect(await counted(game)).toMatchObject({ people: 2, newPeople: 1, started: [1], attempts: [2] })
})

test('an erased learner is forgotten, in one game or in all, and is new afterwards', async () => {
  const [game, other] = [await system.game(), await system.game()]
  const [ann, ben] = twoPeople()
  for (const one of [game, other]) await old(one, [ann, ben], 200)
  for (const one of [game, other]) await expired(one, { statementMonths: 3 })
  const hashes = await Promise.all([game, other].flatMap((one) => [hashOf(one, ann), hashOf(one, ben)]))
  expect(new Set(hashes).size).toBe(4)
  expect(await learnersOf(game)).toEqual(hashes.slice(0, 2).toSorted())

  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann), preview: true })
  expect(await learnersOf(game)).toHaveLength(2)
  await system.admin.learners.eraseGameLearner({ gameId: game.id, agent: JSON.stringify(ann) })
  expect(await learnersOf(game)).toEqual([hashes[1]])
  expect(await learnersOf(other)).toHaveLength(2)
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })
  expect(await learnersOf(other)).toEqual([hashes[3]])
  await send(game, [completed(ann, 0), completed(ben, 0)])
  expect(await counted(game)).toMatchObject({ people: 2, newPeople: 1 })
})

test('the limit of learners who were not seen holds for their hashes; who was seen since is kept', async () => {
  const game = await system.game()
  const [ann, ben] = twoPeople()
  await old(game, [ann, ben], 300)
  await old(game, [ben], 100)
  await expired(game, { statementMonths: 4 })
  expect(await learnersOf(game)).toHaveLength(2)
  await expired(game, { statementMonths: 4, learnerMonths: 8 })
  expect(await learnersOf(game)).toEqual([await hashOf(game, ben)])
  await send(game, [completed(ann, 0), completed(ben, 0)])
  expect(await counted(game)).toMatchObject({ people: 2, newPeople: 1 })
})

test('they go with their game', async () => {
  const game = await system.game()
  await old(game, twoPeople(), 200)
  await expired(game, { statementMonths: 3 })
  expect(await learnersOf(game)).toHaveLength(2)
  await system.database.sql('update game set deleted = now() where uuid = $1', [game.id])
  await system.database.sql('update retention set next_run = now() where game = $1', [await tenantIn(system, game)])
  await expect
    .poll(async () => {
      await expireNext(system.cores[0]!)
      return learnersOf(game)
    })
    .toEqual([])
})
