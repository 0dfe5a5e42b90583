import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { attachment, contentPart, jsonPart, multipart, multipartType } from './support/attachments.ts'
import { reasonOf } from './support/failures.ts'
import { payload, startLaunches, type Launches } from './support/launches.ts'
import { statement } from './support/statements.ts'
import { addStudio, stageBuild } from './support/studios.ts'
import { basic } from './support/xapi.ts'

let { system, fox, owl, game, publish, sandbox, xapi, play } = {} as Launches
beforeAll(async () => {
  ;({ system, fox, owl, game, publish, sandbox, xapi, play } = await startLaunches())
})
afterAll(() => system.close())

describe('a sandbox session', () => {
  test('has all that a game needs, for a learner made or chosen, and the same again for its studio only', async () => {
    const first = await sandbox(fox, { learnerName: ' Ada  L. ' })
    expect(first).toMatchObject({
      buildId: game.buildId,
      gameId: game.id,
      learnerName: 'Ada L.',
      sandbox: true,
      activityId: `https://lrs.example.org/games/${game.id}`,
    })
    const { learners } = await fox.on().launches.listTestLearners({ gameId: game.id })
    const ada = learners.find(({ name }) => name === 'Ada L.')!
    expect(JSON.parse(first.actor)).toEqual({
      objectType: 'Agent',
      name: 'Ada L.',
      account: { homePage: 'https://lrs.example.org/learners', name: ada.learnerId },
    })
    expect(payload(first.token)).toMatchObject({ registration: first.registration, sandbox: first.sessionId })
    const chosen = await sandbox(fox, { learnerId: ada.learnerId })
    expect(chosen).toMatchObject({ actor: first.actor, learnerName: 'Ada L.' })
    expect(chosen.registration).not.toBe(first.registration)
    const again = (await fox.on(1).launches.getSandbox({ sessionId: first.sessionId })).launch!
    expect({ ...again, token: '' }).toEqual({ ...first, token: '' })
    expect((await sandbox()).learnerName).toMatch(/^Test learner \d$/)

    const foreign = [
      owl.on().launches.getSandbox({ sessionId: first.sessionId }),
      owl.on().launches.openSandbox({ gameId: game.id }),
      owl.on().launches.listTestLearners({ gameId: game.id }),
      fox.on().launches.openSandbox({ gameId: randomUUID() }),
    ]
    expect(new Set(await Promise.all(foreign.map(reasonOf)))).toEqual(new Set(['NOT_FOUND']))
    expect(await reasonOf(fox.on().launches.openSandbox({ gameId: game.id, learnerId: randomUUID() }))).toBe('INVALID')
    const without = await owl.on().games.createGame({ name: 'Empty' })
    expect(await reasonOf(owl.on().launches.openSandbox({ gameId: without.gameId }))).toBe('NOT_FOUND')
  })

  test('runs the staged build, or the live one when asked to', async () => {
    const { id, buildId } = await publish(owl)
    const staged = await stageBuild(system, id)
    expect((await sandbox(owl, { gameId: id })).buildId).toBe(staged)
    expect((await sandbox(owl, { gameId: id, live: true })).buildId).toBe(buildId)
  })

  test('shares one sandbox with all others of its game, also when the first ones start at once', async () => {
    const studio = await addStudio(system, 'Race')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    await stageBuild(system, gameId)
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, n) => studio.on(n % 2).launches.openSandbox({ gameId })),
    )
    expect(new Set(opened.map(({ launch }) => payload(launch!.token).key)).size).toBe(1)
    const counts = await system.database.sql(
      'select count(*)::int as n from game t join game g on g.id = t.sandbox_of where g.uuid = $1',
      [gameId],
    )
    expect(counts).toEqual([{ n: 1 }])
    // its studio cannot see the second tenant, nor does it count as a game
    expect((await studio.on().games.listGames({})).games).toHaveLength(1)
  })

  test('opens ten times a minute, over all cores; who is refused for another reason has used none', async () => {
    const studio = await addStudio(system, 'Busy')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    expect(await reasonOf(studio.on().launches.openSandbox({ gameId }))).toBe('NOT_FOUND')
    await stageBuild(system, gameId)
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => reasonOf(studio.on(n % 2).launches.openSandbox({ gameId }))),
    )
    expect(tries.sort()).toEqual([
      ...Array.from({ length: 2 }, () => 'RATE_LIMITED'),
      ...Array.from({ length: 10 }, () => 'ok'),
    ])
  })
})

describe('what is tried in a sandbox', () => {
  test('keeps to itself: statements, documents, profiles, definitions, names, attachments; and is consistent', async () => {
    const launch = await sandbox(fox, { learnerName: 'Tess' })
    const { launch: live } = await play({ learnerName: 'Liv' })
    const admin = await system.game()
    const wide = await system.game([Scope.ALL])
    const inSandbox = xapi(launch)
    const inLive = xapi(live!, 1)
    const thing = `https://games.example.org/activities/${randomUUID()}`
    const content = `replay ${thing}`
    const told = (name: string) =>
      statement({ object: { id: thing, definition: { name: { en: name } } }, attachments: [attachment(content)] })
    const one = told('Sandbox name')
    const stored = await inSandbox.request('POST', 'statements', {
      body: multipart([jsonPart(one), contentPart(content)]),
      headers: { 'content-type': multipartType },
    })
    expect(stored.status, stored.text).toBe(200)

    expect((await inSandbox.get({ statementId: one.id })).json.actor).toEqual(JSON.parse(launch.actor))
    expect((await inSandbox.get({ activity: thing })).json.statements).toHaveLength(1)
    for (const other of [inLive, admin.xapi(), wide.xapi()]) {
      expect((await other.get({ statementId: one.id })).status).toBe(404)
      expect((await other.get({ activity: thing })).json.statements).toEqual([])
      expect((await other.request('GET', 'activities', { query: { activityId: thing } })).status).toBe(404)
    }
    expect((await inSandbox.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({
      name: { en: 'Sandbox name' },
    })
    expect((await wide.xapi().get({ activity: thing, attachments: true })).text).not.toContain(content)

    const agent = { agent: JSON.parse(launch.actor) }
    expect((await inSandbox.request('GET', 'agents', { query: agent })).json.name).toEqual(['Tess'])
    expect((await admin.xapi().request('GET', 'agents', { query: agent })).status).toBe(404)

    // and the other way round: what live games know is not known in the sandbox
    await inLive.post(statement({ object: { id: thing, definition: { name: { en: 'Live name' } } } }))
    expect((await wide.xapi().get({ activity: thing })).json.statements).toHaveLength(1)
    expect((await inSandbox.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({
      name: { en: 'Sandbox name' },
    })
    expect((await inLive.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({
      name: { en: 'Live name' },
    })

    for (const [path, query] of [
      ['activities/profile', { activityId: thing, profileId: 'p' }],
      ['agents/profile', { ...agent, profileId: 'p' }],
      ['activities/state', { activityId: thing, ...agent, stateId: 's' }],
    ] as const) {
      expect((await inSandbox.request('PUT', path, { query, body: { from: 'sandbox' } })).status).toBe(204)
      expect((await admin.xapi().request('GET', path, { query })).status).toBe(404)
      expect((await admin.xapi().request('PUT', path, { query, body: { from: 'live' } })).status).toBe(204)
      expect((await inSandbox.request('GET', path, { query })).json).toEqual({ from: 'sandbox' })
      const { profileId: _, stateId: __, ...all } = query as Record<string, string>
      expect((await inSandbox.request('DELETE', path, { query: all })).status).toBe(204)
      expect((await inSandbox.request('GET', path, { query })).status).toBe(404)
      expect((await admin.xapi().request('GET', path, { query })).json).toEqual({ from: 'live' })
    }
    // a learner whom only documents know is known to live games by theirs alone
    const seen = JSON.parse((await sandbox(fox, { learnerName: 'Doc' })).actor)
    const before = await admin.xapi().request('GET', 'agents', { query: { agent: seen } })
    await xapi(await sandbox(fox, { learnerId: seen.account.name })).request('PUT', 'agents/profile', {
      query: { agent: seen, profileId: 'x' },
      body: {},
    })
    expect([before.status, (await admin.xapi().request('GET', 'agents', { query: { agent: seen } })).status]).toEqual([
      404, 404,
    ])
  })
})

test('documents of a game: its studio writes them, its players and its sandbox read them, nobody else', async () => {
  const { id: gameId, slug } = await publish(fox)
  const documents = fox.on().gameDocuments
  const put = (documentId: string, text: string, precondition = {}) =>
    documents.putGameDocument({
      gameId,
      documentId,
      content: Buffer.from(text),
      contentType: 'application/json',
      precondition,
    })
  const { etag } = await put('settings', '{"lives":3}', { ifNoneMatch: '*' })
  expect(await reasonOf(put('settings', '{"lives":4}', { ifNoneMatch: '*' }))).toBe('PRECONDITION_FAILED')
  expect(await reasonOf(put('settings', '{"lives":'))).toBe('INVALID')
  const changed = await put('settings', '{"lives":5}', { ifMatch: etag })
  const query = { documentId: 'settings' }

  const learner = xapi((await play({ slug, learnerName: 'Ann' })).launch!)
  for (const reader of [learner, xapi(await sandbox(fox, { gameId }))]) {
    const read = await reader.request('GET', 'games/document', { query })
    expect([read.status, read.json, read.headers.get('etag')]).toEqual([200, { lives: 5 }, changed.etag])
    expect((await reader.request('GET', 'games/document')).json).toEqual(['settings'])
    const headers = { 'if-none-match': changed.etag }
    expect((await reader.request('GET', 'games/document', { query, headers })).status).toBe(304)
    expect((await reader.request('PUT', 'games/document', { query, body: {} })).status).toBe(405)
  }
  expect((await xapi(await sandbox()).request('GET', 'games/document', { query })).status).toBe(404)
  // the game's own credential reads as well, and writes in no way
  const { key, secret } = await fox.on().games.revealSecret({ gameId })
  const own = system.connections[0]!.as(basic(key, secret)).documents
  const scope = { kind: { case: 'gameDocument' as const, value: {} } }
  expect((await own.listDocuments({ scope })).ids).toEqual(['settings'])
  expect(await reasonOf(own.putDocument({ scope, id: 'settings', content: Buffer.from('{}') }))).toBe('FORBIDDEN')
  expect(await reasonOf(own.deleteDocument({ scope, id: 'settings' }))).toBe('FORBIDDEN')
  expect(await reasonOf(own.deleteDocuments({ scope }))).toBe('FORBIDDEN')

  for (let n = 1; n < 100; n++) await put(`text-${n}`, '""')
  expect(await reasonOf(put('one more', '""'))).toBe('INVALID')
  await put('text-1', '"again"')
  // retention leaves them
  const [left] = await system.database.sql<{ count: number }>(
    `select count(*)::int from document d join game g on g.id = d.game where g.uuid = $1 and d.activity = ''`,
    [gameId],
  )
  expect(left!.count).toBe(100)
  await documents.deleteGameDocument({ gameId, documentId: 'settings' })
  expect((await learner.request('GET', 'games/document', { query })).status).toBe(404)
})
