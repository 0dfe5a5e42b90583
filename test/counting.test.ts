import { randomUUID } from 'node:crypto'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countedDays } from '../shared/limits.ts'
import type { Game } from './support/games.ts'
import { player, statement } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0 })
})
afterAll(() => system.close())

const dayMs = 86_400_000
const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)
const today = Math.floor(Date.now() / dayMs)
const send = (game: Game, list: object[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const played = (who: string, at: number, over: object = {}) =>
  statement({ actor: player(who), timestamp: new Date(at).toISOString(), ...over })
const range = (game: Game, from = today - 20, to = today + 1) => ({
  gameId: game.id,
  from: dayName(from),
  to: dayName(to),
})
const answersOf = async (game: Game) => system.admin.answers.getAnswers(range(game))
async function counted(game: Game) {
  for (;;) {
    const answer = await answersOf(game)
    if (answer.complete) return answer
  }
}
const tenantOf = async ({ id }: Game) =>
  (await system.database.sql<{ id: number }>('select id from game where uuid = $1', [id]))[0]!.id
const textOf = (call: Promise<unknown>) => call.then(String, (error: unknown) => ConnectError.from(error).rawMessage)
async function ofStudio(game: Game): Promise<void> {
  const { sql } = system.database
  const [studio] = await sql<{ id: number }>(
    `insert into studio (email, password_hash, name, slug) values ($1, '', 'S', $1) returning id`,
    [randomUUID()],
  )
  await sql('update game set studio = $2 where uuid = $1', [game.id, studio!.id])
}

test('a class of one school day in Auckland did not return; what was counted before is shown until then', async () => {
  const game = await system.game()
  await ofStudio(game)
  const noon = (today - 5) * dayMs
  // 9:30 and 14:30 of one day there, on both sides of midnight in UTC
  const list = ['ann', 'ben'].flatMap((who) => [
    played(who, noon - 3.5 * 3_600_000),
    played(who, noon + 1.5 * 3_600_000),
  ])
  await send(game, list)
  const returned = async () => (await counted(game)).returns!.days[1]!.returned
  expect(await returned()).toBe(2n)
  expect((await counted(game)).zone).toBe('UTC')

  await system.admin.counting.setZone({ gameId: game.id, zone: 'Pacific/Auckland' })
  const tenant = await tenantOf(game)
  const { tallies, answers } = system.cores[0]!.store
  // one step at a time, as the counts that are shown are the old ones until the last
  for (;;) {
    const { zone, recounting, people } = await answers.read(tenant, { ...days, parts: new Set(['returns']) })
    expect(people).toBe(2)
    if (zone !== 'UTC') break
    if (recounting) expect(zone).toBe('UTC')
    await tallies.fold(tenant)
  }
  expect(await returned()).toBe(0n)
  expect(await counted(game)).toMatchObject({ zone: 'Pacific/Auckland', recounting: false, people: 2n })
  // nothing of the old counts is left
  const rows = await system.database.sql('select from presence_tally where game in ($1, -$1::int) and learners > 0', [
    tenant,
  ])
  expect(rows).toHaveLength(2 * 1)
})
const days = { from: today - 20, to: today + 1 }

test('timestamps before the start of a game count when they arrived', async () => {
  const game = await system.game()
  await send(game, [played('ann', (today - 10) * dayMs)])
  const cohorts = async () =>
    (await counted(game)).returns!.cohorts.filter(({ people }) => people > 0n).map(({ day }) => day)
  expect(await cohorts()).toEqual([dayName(today - 10)])
  await system.admin.counting.setStart({ gameId: game.id, start: BigInt(((today - 3) * dayMs) / 1000) })
  expect(await cohorts()).toEqual([dayName(Math.floor(Date.now() / dayMs))])
  await system.admin.counting.setStart({ gameId: game.id, start: 0n })
  expect(await cohorts()).toEqual([dayName(today - 10)])
})

test('charts of a game are cut by one value of its statements, and keep no text of those who are erased', async () => {
  const game = await system.game()
  const tenant = await tenantOf(game)
  const cut = 'https://games.example/device'
  const rows = () =>
    system.database.sql('select value from tally_cut where game % 1073741824 in ($1, -$1::int)', [tenant])
  const used = (who: string, device: unknown) =>
    played(who, (today - 2) * dayMs, {
      verb: { id: 'https://w3id.org/xapi/seriousgames/verbs/used' },
      object: { id: 'https://g.example/hat', definition: { name: { en: 'Hat' } } },
      context: { extensions: { [cut]: device } },
    })
  await send(game, [used('ann', 'phone'), used('ann', 'phone'), used('ben', '<b>tablet of ben</b>'), used('cleo', [])])
  await send(
    game,
    ['ann', 'ben'].map((who) => ({
      ...used(who, who === 'ann' ? 'phone' : '<b>tablet of ben</b>'),
      verb: { id: 'http://adlnet.gov/expapi/verbs/progressed' },
      object: { id: 'https://g.example/world' },
      result: { extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': 0.5 } },
    })),
  )
  expect(await counted(game)).toMatchObject({ cut: '', cutValues: [] })
  expect(await rows()).toEqual([])
  await system.admin.counting.setCut({ gameId: game.id, cut })
  const { cutValues, ...first } = await counted(game)
  expect(first).toMatchObject({ cut, people: 3n })
  expect(cutValues.map(({ name, people }) => [name, people]).toSorted()).toEqual([
    ['<b>tablet of ben</b>', 1n],
    ['Not told', 1n],
    ['phone', 1n],
  ])
  const build = cutValues.find(({ name }) => name === 'phone')!.number
  const asked = { ...range(game), build }
  expect(await system.admin.answers.getAnswers(asked)).toMatchObject({ people: 1n, newPeople: 1n })
  const { targets } = await system.admin.seriousGames.listTargets(asked)
  expect(targets).toMatchObject([{ activity: { name: 'Hat' }, used: 2n, usedBy: 1n }])
  const { players } = await system.admin.seriousGames.listProgress({ ...asked, activityId: 'https://g.example/world' })
  expect(players.map(({ actor }) => JSON.parse(actor).account.name)).toEqual(['ann'])
  await send(game, [used('ben', 'phone')])
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(player('ann')) })
  await system.admin.counting.setStart({ gameId: game.id, start: BigInt(((today - 9) * dayMs) / 1000) })
  expect((await counted(game)).cutValues.find(({ number }) => number === build)).toMatchObject({
    name: 'phone',
    people: 1n,
  })
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(player('ben')) })
  expect((await counted(game)).cutValues).toMatchObject([{ name: 'Not told' }])
  expect(await rows()).toEqual([])
  await system.admin.counting.setCut({ gameId: game.id, cut: '' })
  expect(await counted(game)).toMatchObject({ cut: '', cutValues: [] })
  const facts = () => system.database.sql('select from learner_fact where abs(game) > 1073741824', [])
  await expect.poll(facts, { timeout: 20_000 }).toEqual([])
})

test('a wrong zone, start or cut is refused with what to write', async () => {
  const game = await system.game()
  const { counting } = system.admin
  expect(await textOf(counting.setZone({ gameId: game.id, zone: 'UTC' }))).toMatch(/must be a game of a studio/)
  await ofStudio(game)
  for (const zone of ['Europe/Atlantis', '+00:07'])
    expect(await textOf(counting.setZone({ gameId: game.id, zone }))).toMatch(/such as Europe\/Berlin/)
  const future = BigInt(Math.floor(Date.now() / 1000) + 9_000)
  expect(await textOf(counting.setStart({ gameId: game.id, start: future }))).toMatch(/from the year 2000 until now/)
  expect(await textOf(counting.setStart({ gameId: game.id, start: 5n }))).toMatch(/from the year 2000 until now/)
  for (const cut of ['verb', 'https://g.example/<', 'x'.repeat(501)])
    expect(await textOf(counting.setCut({ gameId: game.id, cut }))).toMatch(/cut: must/)
  expect(await textOf(counting.getCounting({ gameId: randomUUID() }))).toMatch(/no game|no such game/i)
  expect(await textOf(system.admin.answers.getAnswers({ ...range(game), build: 2 ** 31 }))).toMatch(/^build: must/)
})

test('counts of another version of the definitions are made again, and shown until then', async () => {
  const game = await system.game()
  const tenant = await tenantOf(game)
  await send(game, [played('ann', (today - 2) * dayMs)])
  await counted(game)
  await system.database.sql('update tally_cursor set definitions = 0 where game = $1', [tenant])
  await system.database.sql('update presence_tally set learners = 7 where game = $1', [tenant])
  const before = await system.cores[0]!.store.answers.read(tenant, { ...days, parts: new Set() })
  expect(before.people).toBe(7)
  expect((await counted(game)).people).toBe(1n)
  // an erasure reaches counts of both
  await system.database.sql('update tally_cursor set definitions = 0 where game = $1', [tenant])
  await system.cores[0]!.store.tallies.fold(tenant)
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(player('ann')) })
  for (const table of ['learner_fact', 'active_day', 'attempt'])
    expect(await system.database.sql(`select from ${table} where game in ($1, -$1::int)`, [tenant])).toEqual([])
  expect((await counted(game)).people).toBe(0n)
})

test('teams are counted apart; their members are people only where they act', async () => {
  const game = await system.game()
  const level = { verb: { id: 'http://adlnet.gov/expapi/verbs/completed' }, object: { id: 'https://g.example/1' } }
  const team = { ...player('red'), objectType: 'Group', member: [player('ann'), player('ben')] }
  await send(game, [
    played('ann', (today - 9) * dayMs, level),
    { ...played('ann', (today - 9) * dayMs, level), actor: team },
    { ...played('ann', (today - 8) * dayMs, level), actor: team },
  ])
  expect(await counted(game)).toMatchObject({
    people: 1n,
    teams: 1n,
    newPeople: 1n,
    funnel: { levels: [{ started: 1n }] },
    levels: { levels: [{ attempts: 3n, completed: 3n, abandoned: 0n, unfinished: 0n }] },
    leaving: { people: 1n },
  })
  expect(await system.admin.insights.getInsights(range(game))).toMatchObject({ learners: 1n, teams: 1n })
})

test('a team is listed apart, opened, and erased like a learner', async () => {
  const game = await system.game()
  const blue = { ...player('blue'), objectType: 'Group', name: 'The blues' }
  await send(game, [played('ann', today * dayMs), { ...played('x', (today - 1) * dayMs), actor: blue }])
  const { learners, admin } = system.admin
  const names = async (over: object) =>
    (await learners.findLearners({ gameId: game.id, ...over })).learners.map(({ agent, team }) => [
      JSON.parse(agent).account.name,
      team,
    ])
  expect(await names({})).toEqual([['ann', false]])
  expect(await names({ teams: true })).toEqual([['blue', true]])
  expect(await names({ teams: true, text: 'blues' })).toEqual([['blue', true]])
  expect(await names({ text: 'blues' })).toEqual([])
  const agent = JSON.stringify(blue)
  const opened = await learners.getLearner({ gameId: game.id, agent })
  expect(opened.learner).toMatchObject({ statements: 1n, team: true, lastSeen: BigInt((today - 1) * dayMs * 1000) })
  await counted(game)
  expect(await admin.eraseLearner({ agent })).toMatchObject({ statements: 1n })
  expect(await names({ teams: true })).toEqual([])
  expect(await counted(game)).toMatchObject({ people: 1n, teams: 0n })
})

test('different days of a game are bounded; all further ones are counted together', async () => {
  const game = await system.game()
  const tenant = await tenantOf(game)
  await system.database.sql('insert into counted_day select $1, -n from generate_series(1, $2) n', [
    tenant,
    countedDays - 1,
  ])
  await send(game, [played('ann', (today - 3) * dayMs)])
  expect(await counted(game)).toMatchObject({ people: 1n, otherDays: 0n })
  await send(game, [played('ann', (today - 4) * dayMs), played('ben', (today - 3) * dayMs)])
  expect(await counted(game)).toMatchObject({ people: 2n, otherDays: 1n })
})
