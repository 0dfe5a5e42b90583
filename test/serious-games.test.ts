import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playWarnings } from '../core/analytics/rules/play-warnings.ts'
import type { Statement } from '../core/records/xapi/types.ts'
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
      chosen: 3n,
      players: 2n,
      right: 2n,
      wrong: 1n,
      unlocked: 0n,
      withoutResponse: 0n,
      options: [
        { response: 'par', name: 'Paris', chosen: 2n, right: 2n, wrong: 0n },
        { response: 'rom', name: 'Rome', chosen: 1n, right: 0n, wrong: 1n },
      ],
    },
    {
      activity: { name: 'Start menu', type: 'menu' },
      chosen: 2n,
      players: 2n,
      right: 0n,
      wrong: 0n,
      unlocked: 1n,
      unlockedBy: 1n,
      withoutResponse: 1n,
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

/** One list of what players did, counted from the statements themselves. */
function recount(left: readonly Sent[], verbs: readonly string[], from: number, to: number) {
  const own = left.filter(({ ago, verb }) => ago <= from && ago >= to && verbs.includes(verb))
  return [...Map.groupBy(own, ({ thing }) => thing)].map(([name, list]) => {
    const of = (verb: string) => list.filter((one) => one.verb === verb)
    const people = (some: readonly Sent[]) => new Set(some.map(({ who }) => who)).size
    return [name, ...verbs.flatMap((verb) => [of(verb).length, people(of(verb))])]
  })
}

interface Sent {
  readonly id: string
  readonly who: string
  readonly verb: string
  readonly thing: string
  readonly ago: number
  readonly response: string
}

test('random statements, voided and erased ones among them: every list equals a recount', async () => {
  const game = await system.game()
  const pick = <One>(list: readonly One[]): One => list[Math.floor(Math.random() * list.length)]!
  const verbs = ['accessed', 'skipped', 'interacted', 'used', 'selected']
  const sent: Sent[] = []
  for (const ago of [6, 3, 0]) {
    const batch = Array.from({ length: 60 }, () => {
      const [who, verb] = [pick(['pia', 'quinn', 'rosa', 'sam']), pick(verbs)]
      const [name, response] = [pick(['A', 'B', 'C']), pick(['x', 'y'])]
      const made = did(who, `${own}/verbs/${verb}`, thing(name, 'zone'), { response })
      sent.push({ id: made.id, who, verb, thing: name, ago, response })
      return made
    })
    await send(game, batch)
    if (ago > 0) await move(batch, ago)
  }
  const same = async (left: readonly Sent[]) => {
    for (const [from, to] of [
      [9, 0],
      [6, 3],
      [3, 0],
      [5, 1],
    ] as const) {
      const of = range(game, from, to)
      const { reachables } = await settled(() => client().listReachables(of))
      const { targets } = await client().listTargets(of)
      const { alternatives } = await client().listAlternatives(of)
      const rows = (list: readonly (readonly (string | bigint)[])[]) =>
        list.map((row) => row.map((one) => (typeof one === 'bigint' ? Number(one) : one))).toSorted()
      const named = <One extends { activity?: { name: string } }>(list: One[], counts: (one: One) => bigint[]) =>
        rows(list.map((one) => [one.activity!.name, ...counts(one)]))
      expect(named(reachables, (one) => [one.accessed, one.accessedBy, one.skipped, one.skippedBy])).toEqual(
        recount(left, ['accessed', 'skipped'], from, to).toSorted(),
      )
      expect(named(targets, (one) => [one.interacted, one.interactedBy, one.used, one.usedBy])).toEqual(
        recount(left, ['interacted', 'used'], from, to).toSorted(),
      )
      expect(named(alternatives, (one) => [one.chosen, one.players])).toEqual(
        recount(left, ['selected'], from, to).toSorted(),
      )
      const options = alternatives.flatMap(({ activity, options }) =>
        options.map(({ response, chosen }) => `${activity!.name} ${response} ${chosen}`),
      )
      const chosen = left.filter(({ ago, verb }) => ago <= from && ago >= to && verb === 'selected')
      const answers = Map.groupBy(chosen, (one) => `${one.thing} ${one.response}`)
      expect(options.toSorted()).toEqual([...answers].map(([name, list]) => `${name} ${list.length}`).toSorted())
    }
  }
  await same(sent)
  const voided = new Set(sent.filter((_, n) => n % 9 === 0).map(({ id }) => id))
  await send(
    game,
    [...voided].map((id) => voiding(id, { actor: player('admin') })),
  )
  const left = sent.filter(({ id }) => !voided.has(id))
  await same(left)
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(player('quinn')) })
  await same(left.filter(({ who }) => who !== 'quinn'))
})

test('an empty game, a wrong range and a game that is not there', async () => {
  const game = await system.game()
  expect((await client().listTargets(range(game))).targets).toEqual([])
  expect((await client().listProgress({ ...range(game), activityId: 'https://x.example/none' })).players).toEqual([])
  await expect(client().listTargets({ ...range(game), to: 'x' })).rejects.toThrow(/must be a day/)
  await expect(client().listTargets({ ...range(game), build: 2 ** 31 })).rejects.toThrow(/build: must/)
  await expect(client().listTargets({ gameId: randomUUID(), from: today(), to: today() })).rejects.toThrow(/game/)
})

test('the statements of docs/serious-games.md are good, and counted as it says', async () => {
  const page = readFileSync('docs/serious-games.md', 'utf8')
  const examples = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text]) => JSON.parse(text!) as Statement)
  expect(examples).toHaveLength(10)
  expect(playWarnings(examples, true).flat()).toEqual([])
  const game = await system.game()
  await send(game, examples)
  const { completables } = await settled(() => client().listCompletables(range(game)))
  const { reachables } = await client().listReachables(range(game))
  const { alternatives } = await client().listAlternatives(range(game))
  const { targets } = await client().listTargets(range(game))
  const named = (list: readonly { activity?: { name: string; type: string } }[]) =>
    list.map(({ activity }) => `${activity!.name}: ${activity!.type}`).toSorted()
  expect([completables, reachables, alternatives, targets].map(named)).toEqual([
    ['Level 1: level'],
    ['Intro: cutscene'],
    ['Ships: menu', 'What the captain asks: dialog-tree', 'Which knot holds a ring?: question'],
    ['Spyglass: item', 'The captain: non-player-character'],
  ])
  expect(
    alternatives.flatMap(({ options }) => options.map((one) => `${one.response}, ${one.name}`)).toSorted(),
  ).toEqual(['Sail on, ', 'Schooner, ', 'reef, Reef knot'])
})
