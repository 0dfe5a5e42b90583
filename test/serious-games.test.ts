import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from './support/games.ts'
import { player, statement, voiding } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0 })
})
afterAll(() => system.close())

const own = 'https://w3id.org/xapi/seriousgames'
const today = () => new Date().toISOString().slice(0, 10)
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)
const client = () => system.connections[0]!.as(bearer(tokens.admin)).seriousGames
const range = (game: Game, from = 9, to = 0) => ({ gameId: game.id, from: daysAgo(from), to: daysAgo(to) })

/** Asks until everything is counted. */
async function settled<Answer extends { counted?: { complete: boolean } }>(ask: () => Promise<Answer>) {
  for (;;) {
    const answer = await ask()
    if (answer.counted!.complete) return answer
  }
}

const send = (game: Game, list: object[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })

const thing = (name: string, type: string) => ({
  id: `https://games.example.org/things/${name.replaceAll(' ', '-')}`,
  definition: { name: { en: name }, type: type.includes(':') ? type : `${own}/activity-types/${type}` },
})
const did = (who: string, verb: string, object: object, result?: object) =>
  statement({ actor: { ...player(who), name: who }, verb: { id: verb }, object, result })
const progressed = (who: string, level: object, progress: number) =>
  did(who, 'http://adlnet.gov/expapi/verbs/progressed', level, {
    extensions: { [`${own}/extensions/progress`]: progress },
  })
const numbers = (list: readonly bigint[]) => list.map(Number)
/** Puts statements on an earlier day: a game's first ones, or the order would not hold. */
const move = (list: readonly { id: string }[], days: number) =>
  system.database.sql(`update statement set stored = stored - $2::bigint where id = any ($1::uuid[])`, [
    list.map(({ id }) => id),
    days * 86_400_000_000,
  ])

test('progress: of each player, and of all by tenths; as if a voided statement had never been', async () => {
  const game = await system.game()
  const level = thing('Level 1', 'level')
  const early = [progressed('ann', level, 0.9), progressed('ben', level, 0.2)]
  await send(game, early)
  await move(early, 3)
  const later = [progressed('ann', level, 0.25), progressed('cem', level, 1), progressed('cem', level, 1.5)]
  await send(game, later)
  const of = () => settled(() => client().listCompletables(range(game)))
  const { completables } = await of()
  expect(completables).toMatchObject([
    { activity: { activityId: level.id, name: 'Level 1', type: 'level' }, progressed: 4n, players: 3n },
  ])
  expect(numbers(completables[0]!.latest)).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1])
  expect(numbers(completables[0]!.highest)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1])
  const players = (over: object = {}) =>
    client().listProgress({ ...range(game), activityId: level.id, limit: 2, ...over })
  const first = await players()
  const second = await players({ after: first.next })
  const all = [...first.players, ...second.players]
  expect(second.next).toBe('')
  const told = all.map(({ name, latest, highest, day, progressed }) => [name, latest, highest, day, Number(progressed)])
  expect(told.toSorted()).toEqual([
    ['ann', 0.25, 0.9, daysAgo(0), 2],
    ['ben', 0.2, 0.2, daysAgo(3), 1],
    ['cem', 1, 1, daysAgo(0), 1],
  ])
  expect(JSON.parse(all[0]!.actor)).toMatchObject(player(all[0]!.name))
  // only those of the range
  expect((await players({ from: daysAgo(4), to: daysAgo(2) })).players).toHaveLength(2)
  await expect(players({ after: 'x' })).rejects.toThrow(/`next` of a page/)

  await send(game, [voiding(early[0]!.id), voiding(later[1]!.id)])
  const left = (await of()).completables[0]!
  expect([left.progressed, left.players]).toEqual([2n, 2n])
  expect(numbers(left.highest)).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('reachables and targets: how often, and by how many different players in any range', async () => {
  const game = await system.game()
  const intro = thing('Intro', 'cutscene')
  const sword = thing('Sword', 'item')
  const early = ['ann', 'ben'].map((who) => did(who, `${own}/verbs/accessed`, intro))
  await send(game, early)
  await move(early, 5)
  await send(game, [
    did('ann', 'http://activitystrea.ms/schema/1.0/accessed', intro),
    did('ann', 'http://id.tincanapi.com/verb/skipped', intro),
    did('cem', `${own}/verbs/accessed`, intro),
    did('ann', `${own}/verbs/used`, sword),
    did('ann', `${own}/verbs/used`, sword),
    did('ben', 'http://adlnet.gov/expapi/verbs/interacted', sword),
  ])
  const reachables = async (from: number, to: number) => {
    const { reachables } = await settled(() => client().listReachables(range(game, from, to)))
    return reachables.map(({ activity, ...counts }) => [
      activity!.name,
      ...[counts.accessed, counts.accessedBy, counts.skipped, counts.skippedBy].map(Number),
    ])
  }
  expect(await reachables(9, 0)).toEqual([['Intro', 4, 3, 1, 1]])
  expect(await reachables(9, 5)).toEqual([['Intro', 2, 2, 0, 0]])
  expect(await reachables(4, 0)).toEqual([['Intro', 2, 2, 1, 1]])
  expect(await reachables(4, 1)).toEqual([])
  const { targets, counted } = await settled(() => client().listTargets(range(game)))
  expect(targets).toMatchObject([
    { activity: { name: 'Sword', type: 'item' }, used: 2n, usedBy: 1n, interacted: 1n, interactedBy: 1n },
  ])
  expect(counted).toMatchObject({ behind: 0n, more: false })
  // of a build that is not known: the same; of another one: nothing
  expect((await client().listTargets({ ...range(game), build: 0 })).targets).toEqual(targets)
  expect((await client().listTargets({ ...range(game), build: 1 })).targets).toEqual([])
})

test('alternatives: options, right and wrong, for the verbs of the profile and for answers', async () => {
  const game = await system.game()
  const start = thing('Start menu', 'menu')
  const question = {
    id: 'https://games.example.org/questions/1',
    definition: {
      name: { en: 'Capital of France?' },
      type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
      interactionType: 'choice',
      correctResponsesPattern: ['par'],
      choices: [
        { id: 'par', description: { en: 'Paris' } },
        { id: 'rom', description: { en: 'Rome' } },
      ],
    },
  }
  const answered = (who: string, response: string) =>
    did(who, 'http://adlnet.gov/expapi/verbs/answered', question, { response })
  const answers = [answered('ann', 'rom'), answered('ann', 'par'), answered('ben', 'par')]
  await send(game, [
    ...answers,
    did('ann', 'http://id.tincanapi.com/verb/selected', start, { response: 'Tutorial' }),
    did('ann', `${own}/verbs/unlocked`, start, { response: 'Combat' }),
    did('ben', 'https://w3id.org/xapi/adb/verbs/selected', start),
  ])
  const { alternatives } = await settled(() => client().listAlternatives(range(game)))
  expect(alternatives).toMatchObject([
    {
      activity: { name: 'Capital of France?', type: 'question' },
      ...{ chosen: 3n, players: 2n, right: 2n, wrong: 1n, unlocked: 0n, withoutResponse: 0n },
      options: [
        { response: 'par', name: 'Paris', chosen: 2n, right: 2n, wrong: 0n },
        { response: 'rom', name: 'Rome', chosen: 1n, right: 0n, wrong: 1n },
      ],
    },
    {
      activity: { name: 'Start menu', type: 'menu' },
      ...{ chosen: 2n, players: 2n, right: 0n, wrong: 0n, unlocked: 1n, unlockedBy: 1n, withoutResponse: 1n },
      options: [
        { response: 'Tutorial', chosen: 1n, unlocked: 0n },
        { response: 'Combat', chosen: 0n, unlocked: 1n },
      ],
    },
  ])
  await send(game, [voiding(answers[0]!.id)])
  const { alternatives: left } = await settled(() => client().listAlternatives(range(game)))
  expect(left.find(({ activity }) => activity!.activityId === question.id)!.options).toMatchObject([
    { response: 'par', chosen: 2n, right: 2n },
  ])
  // the text of an answer is gone when nobody is left who gave it
  const texts = await system.database.sql('select response from play_option where response = any ($1)', [['rom']])
  expect(texts).toEqual([])
})

test('an empty game, a wrong range and a game that is not there', async () => {
  const game = await system.game()
  expect((await client().listTargets(range(game))).targets).toEqual([])
  expect((await client().listProgress({ ...range(game), activityId: 'https://x.example/none' })).players).toEqual([])
  await expect(client().listTargets({ ...range(game), to: 'x' })).rejects.toThrow(/must be a day/)
  await expect(client().listTargets({ gameId: randomUUID(), from: today(), to: today() })).rejects.toThrow(/game/)
})
