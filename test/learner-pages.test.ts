import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SeenLearner } from '../gen/lrs/v1/learners_pb.js'
import type { Game } from './support/games.ts'
import { startLaunches, type Launches } from './support/launches.ts'
import { player, statement, type Json } from './support/statements.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
let launches: Launches
beforeAll(async () => {
  launches = await startLaunches({ rateLimitFactor: 0 })
})
afterAll(() => launches.system.close())

const admin = () => launches.system.admin.learners
const json = (value: unknown) => JSON.stringify(value)
const named = (name: string, account = name) => ({ ...player(account), name })
const store = async (game: Game, statements: Json[]) =>
  void (await game.rpc().statements.storeStatements({ json: Buffer.from(json(statements)) }))
const namesOf = (learners: readonly SeenLearner[]) => learners.map(({ name }) => name)
const find = async (gameId: string, text: string) => {
  const { learners, complete } = await admin().findLearners({ gameId, text })
  expect(complete).toBe(true)
  return namesOf(learners).toSorted()
}

test('learners are found by beginnings of words of name and account, without case and accents', async () => {
  const game = await launches.system.game()
  const others = await launches.system.game()
  const people = [
    named('Mia Müller', 'a-1'),
    named('MIA Schmidt', 'a-2'),
    named('Ärgernis', 'mia.nobody'),
    { mbox: 'mailto:ben.weiss@school.example', name: 'Ben' },
    { mbox: 'mailto:nameless@school.example' },
  ]
  await store(
    game,
    people.map((actor) => statement({ actor })),
  )
  await store(others, [statement({ actor: named('Mia of another game') })])
  expect(await find(game.id, 'mi')).toEqual(['MIA Schmidt', 'Mia Müller', 'Ärgernis'])
  expect(await find(game.id, 'MULL')).toEqual(['Mia Müller'])
  expect(await find(game.id, 'mÜll MIA')).toEqual(['Mia Müller'])
  expect(await find(game.id, 'argernis')).toEqual(['Ärgernis'])
  expect(await find(game.id, 'ben.weiss@school.example')).toEqual(['Ben'])
  expect(await find(game.id, 'nameless@')).toEqual([''])
  expect(await find(game.id, 'a-2')).toEqual(['MIA Schmidt'])
  expect(await find(game.id, 'ia')).toEqual([])
  expect(await find(game.id, '%_*')).toEqual([])
  expect(await find(game.id, "o'; drop")).toEqual([])
  // a new name is found, the old one still
  await store(game, [statement({ actor: named('Mila Maier', 'a-2') })])
  expect(await find(game.id, 'mila')).toEqual(['Mila Maier'])
  expect(await find(game.id, 'schmidt')).toEqual(['Mila Maier'])
  // a Group is no learner
  await store(game, [statement({ actor: { objectType: 'Group', mbox: 'mailto:team@x.example', name: 'Mia Team' } })])
  expect(await find(game.id, 'team')).toEqual([])
})

test('the last seen come first, with what they did; pages hold everyone once, by either way', async () => {
  const game = await launches.system.game()
  const everyone = Array.from({ length: 120 }, (_, n) => named(`Learner ${n} Common Com`, `number-${n}`))
  await store(
    game,
    everyone.map((actor) =>
      statement({ actor, context: { registration: crypto.randomUUID() }, timestamp: '2026-11-20T11:00:00Z' }),
    ),
  )
  const again = everyone[7]!
  const registration = crypto.randomUUID()
  const timestamp = (minute: number) => `2026-11-20T12:0${minute}:00Z`
  await store(game, [
    statement({ actor: again, context: { registration }, timestamp: timestamp(1) }),
    statement({ actor: again, context: { registration }, timestamp: timestamp(4) }),
  ])
  for (const text of ['', 'com', 'common learner']) {
    const found: string[] = []
    for (let after = '', pages = 0; pages === 0 || after !== ''; pages++) {
      const { learners, next } = await admin().findLearners({ gameId: game.id, text, after })
      expect(learners.length).toBeLessThanOrEqual(50)
      found.push(...namesOf(learners))
      after = next
      expect(pages).toBeLessThan(5)
    }
    expect(found.toSorted()).toEqual(everyone.map(({ name }) => name).toSorted())
    if (text === '') expect(found[0]).toBe(again.name)
  }
  const { learners } = await admin().findLearners({ gameId: game.id, limit: 1 })
  expect(learners).toMatchObject([{ statements: 3n, sessions: 2n, kind: '' }])
  const { sessions } = await admin().listLearnerSessions({
    gameId: game.id,
    registrations: [registration, crypto.randomUUID()],
  })
  expect(sessions).toMatchObject([
    {
      registration,
      begin: BigInt(Date.parse(timestamp(1))) * 1000n,
      end: BigInt(Date.parse(timestamp(4))) * 1000n,
      statements: 2n,
    },
  ])
  await expect(admin().findLearners({ gameId: game.id, after: 'x' })).rejects.toThrow('after')
})

test('versions of clients are counted by the client that each player of the last days used last', async () => {
  const game = await launches.system.game()
  const by = (account: string, client: unknown, more: Json = {}) =>
    statement({ actor: player(account), context: { extensions: { 'urn:games-lrs:client': client } }, ...more })
  await store(game, [
    by('old', 'games-lrs.js 0.4.0', { timestamp: new Date(Date.now() - 31 * 86_400_000).toISOString() }),
    by('a', 'games-lrs.js 0.4.0'),
    by('b', 'games-lrs.js 0.4.0'),
    by('c', 'games-lrs.js 0.4.0'),
    by('d', { toString: 1 }),
    by('e', '<b>games-lrs.js 0.4.0</b>'),
    by('team', 'games-lrs.js 0.4.0', { actor: { ...player('team'), objectType: 'Group' } }),
  ])
  const counts = async () => {
    const { versions, complete } = await admin().listClientVersions({ gameId: game.id })
    expect(complete).toBe(true)
    return versions.map(({ client, players }) => [client, players])
  }
  expect(await counts()).toEqual([
    ['games-lrs.js 0.4.0', 3],
    ['', 2],
  ])
  await store(game, [by('a', 'games-lrs.gd 0.2.0'), statement({ actor: player('b') })])
  expect(await counts()).toEqual([
    ['', 2],
    ['games-lrs.js 0.4.0', 2],
    ['games-lrs.gd 0.2.0', 1],
  ])
})

test('who gave a name or was invited is found before the first statement, by how they came', async () => {
  const { fox, owl, game, play, xapi } = launches
  const { launch } = await play({ learnerName: 'Żofia Nowak' })
  await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Żofia Invited' })
  const both = await fox.on().learners.findLearners({ gameId: game.id, text: 'zofia' })
  expect(both.learners).toEqual([])
  expect(both.waiting.map(({ name, kind }) => [name, kind]).toSorted()).toEqual([
    ['Żofia Invited', 'invited'],
    ['Żofia Nowak', 'player'],
  ])
  await xapi(launch!).post(statement({ actor: JSON.parse(launch!.actor) }))
  const later = await fox.on().learners.findLearners({ gameId: game.id, text: 'zofia' })
  expect(later.learners).toMatchObject([{ name: 'Żofia Nowak', kind: 'player', statements: 1n }])
  expect(namesOf(later.waiting)).toEqual(['Żofia Invited'])
  const { learner, origin } = await fox.on().learners.getLearner({ gameId: game.id, agent: later.waiting[0]!.agent })
  expect(learner).toMatchObject({ name: 'Żofia Invited', statements: 0n })
  expect(origin).toMatchObject({ kind: 'invited', used: 0, revoked: false })
  await expect(owl.on().learners.findLearners({ gameId: game.id, text: 'zofia' })).rejects.toThrow('not yours')
})

test('a learner has levels, documents and how it came; a sandbox has its own learners', async () => {
  const { fox, game, play, sandbox, xapi } = launches
  const { launch } = await play({ learnerName: 'Grace' })
  const actor = JSON.parse(launch!.actor)
  const level = `${launch!.activityId}/levels/1`
  const said = (verb: string, result?: object) =>
    statement({
      actor,
      verb: { id: `${adl}${verb}` },
      object: { id: level, definition: { name: { en: 'Level 1' } } },
      result,
      context: { registration: launch!.registration },
    })
  const client = xapi(launch!)
  await client.post([
    said('initialized'),
    said('completed', { score: { scaled: 0.8 }, duration: 'PT3M12S' }),
    said('initialized'),
  ])
  const query = { activityId: level, agent: actor, stateId: 'save <1>' }
  const put = await client.request('PUT', 'activities/state', { query, body: { hearts: 3 } })
  expect(put.status).toBe(204)
  const { learners } = fox.on(1)
  const of = { gameId: game.id, agent: launch!.actor }
  const found = await learners.getLearner(of)
  expect(found).toMatchObject({
    learner: { name: 'Grace', kind: 'player', statements: 3n, sessions: 1n },
    origin: { name: 'Grace', remembered: true },
    levels: [{ activityId: level, name: '{"en":"Level 1"}', attempts: 2, completed: 1, best: 0.8, seconds: 192 }],
    levelStatements: 3,
    older: false,
    documents: [{ activityId: level, registration: '', id: 'save <1>', contentType: 'application/json' }],
  })
  const document = await learners.getLearnerDocument({ ...of, activityId: level, id: 'save <1>' })
  expect(Buffer.from(document.content).toString()).toBe('{"hearts":3}')
  await expect(learners.getLearnerDocument({ ...of, activityId: level, id: 'other' })).rejects.toThrow(
    'no such document',
  )
  await expect(learners.getLearner({ ...of, agent: json(named('nobody')) })).rejects.toThrow('no such learner')

  const tried = await sandbox(fox, { learnerName: 'Tess Tester' })
  const tester = { gameId: game.id, sandbox: true, agent: tried.actor }
  await xapi(tried).post(statement({ actor: JSON.parse(tried.actor) }))
  await xapi(tried).request('PUT', 'activities/state', {
    query: { activityId: level, agent: JSON.parse(tried.actor), stateId: 's' },
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  })
  expect((await learners.findLearners({ gameId: game.id, text: 'tess' })).learners).toEqual([])
  expect((await learners.findLearners({ gameId: game.id, sandbox: true, text: 'tess' })).learners).toMatchObject([
    { name: 'Tess Tester', kind: 'test' },
  ])
  expect((await learners.getLearner(tester)).documents).toMatchObject([{ id: 's' }])
})

test('an erasure in one game leaves what other games hold, and nothing of the lists of this one', async () => {
  const [one, other] = [await launches.system.game(), await launches.system.game()]
  const ann = named('Ann Twice')
  const teacher = named('Teacher')
  for (const game of [one, other])
    await store(game, [
      statement({ actor: ann, context: { registration: crypto.randomUUID() } }),
      statement({ actor: teacher, context: { instructor: ann } }),
    ])
  expect(await find(one.id, 'ann')).toEqual(['Ann Twice'])
  const of = { gameId: one.id, agent: json(ann) }
  const preview = await admin().eraseGameLearner({ ...of, preview: true })
  expect(preview.receipt).toMatchObject({ statements: 1n, games: 1n })
  const held: string[] = []
  for await (const { held: one } of admin().exportGameLearner(of))
    if (one!.part.case === 'statement') held.push(one!.part.value.gameId)
  expect(held).toEqual([one.id, one.id])
  const receipt = (await admin().eraseGameLearner(of)).receipt!
  expect(receipt).toMatchObject({ statements: 1n, pseudonymised: 1n, names: 0n, games: 1n })
  expect(receipt.receiptId).not.toBe('')
  expect(await find(one.id, 'ann')).toEqual([])
  expect(namesOf((await admin().findLearners({ gameId: one.id })).learners)).toEqual(['Teacher'])
  await expect(admin().getLearner(of)).rejects.toThrow('no such learner')
  expect(await find(other.id, 'ann')).toEqual(['Ann Twice'])
  const { learner } = await admin().getLearner({ gameId: other.id, agent: json(ann) })
  expect(learner).toMatchObject({ statements: 1n, sessions: 1n })
  // the last game that knows the agent takes the names with it
  expect((await admin().eraseGameLearner({ gameId: other.id, agent: json(ann) })).receipt!.names).toBe(1n)
  const left = await launches.system.database.sql('select 1 from seen_word where word = $1', ['twice'])
  expect(left).toEqual([])
})
