import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../start/fixtures/launch.ts'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { failureOf, reasonOf } from '../support/failures.ts'
import type { Game } from '../support/games.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { player, statement } from '../support/statements.ts'
import { stageBuild, type Studio } from '../support/studios.ts'
import { basic, xapiClient, type XapiClient } from '../support/xapi.ts'

let { system, fox, owl, game, play, sandbox, xapi } = {} as Launches
/** Games of the two studios, and one of nobody, through both gateways. */
let foxGame: XapiClient
let owlGame: XapiClient
let nobodysGame: XapiClient
let nobody: Game

/** A game with key and secret, without its build and review. */
async function gameOf(studio: Studio, gateway = 0): Promise<XapiClient> {
  const { id, key, secret } = await system.game()
  await system.database.sql('update game set studio = $2 where uuid = $1', [id, studio.id])
  return xapiClient(system.urls[gateway]!, basic(key, secret))
}

beforeAll(async () => {
  ;({ system, fox, owl, game, play, sandbox, xapi } = await startLaunches())
  foxGame = await gameOf(fox)
  owlGame = await gameOf(owl, 1)
  nobody = await system.game([Scope.ALL])
  nobodysGame = nobody.xapi()
})
afterAll(() => system.close())

const home = 'https://lrs.example.org'
const place = () => `https://fox.example/${randomUUID()}/`
const reserve = (prefix: string, studio = fox) => system.admin.reservations.reserve({ studio: studio.slug, prefix })
const profile = (
  client: XapiClient,
  method: string,
  activityId: string,
  body?: unknown,
  profileId: string | undefined = 'levels',
) => client.request(method, 'activities/profile', { query: { activityId, profileId }, body })
const nameOf = async (activityId: string) =>
  (await owlGame.request('GET', 'activities', { query: { activityId } })).json.definition?.name?.en
const define = (activityId: string, name: string) =>
  statement({ object: { id: activityId, definition: { name: { en: name } } } })

/** Resolves when both cores refuse others; core/records/command/checks.test.ts shows within which time. */
async function holds(prefix: string): Promise<void> {
  const scope = { kind: { case: 'activityProfile', value: { activityId: `${prefix}probe` } } } as const
  // gateways call any core
  for (const core of [0, 1])
    await eventually(
      async () => (await reasonOf(nobody.rpc(core).documents.deleteDocuments({ scope }))) === 'FORBIDDEN',
      () => 'held',
    )
}

describe('without a reservation', () => {
  test('every game changes every activity, as the interface says', async () => {
    const level = `${place()}level-1`
    expect((await foxGame.post(define(level, 'Level 1'))).status).toBe(200)
    expect((await owlGame.post(define(level, 'Owls were here'))).status).toBe(200)
    expect(await nameOf(level)).toBe('Owls were here')
    expect((await profile(foxGame, 'PUT', level, { of: 'fox' })).status).toBe(204)
    expect((await profile(owlGame, 'PUT', level, { of: 'owl' })).status).toBe(204)
    expect((await profile(owlGame, 'DELETE', level)).status).toBe(204)
  })
})

describe('below a reserved prefix', () => {
  let prefix: string
  let level: string
  beforeAll(async () => {
    prefix = place()
    level = `${prefix}level-1`
    await reserve(prefix)
    await holds(prefix)
  })

  test('games of others change no profile (403, with the parameter), and everybody reads them', async () => {
    expect((await profile(foxGame, 'PUT', level, { of: 'fox' })).status).toBe(204)
    const learner = xapi((await play({ learnerName: 'Eve' })).launch!)
    expect((await profile(learner, 'POST', level, { by: 'a learner of the studio' })).status).toBe(204)
    for (const client of [owlGame, nobodysGame]) {
      for (const [method, body] of [
        ['PUT', { of: 'owl' }],
        ['POST', { of: 'owl' }],
        ['DELETE', undefined],
      ] as const) {
        const reply = await profile(client, method, level, body)
        expect([method, reply.status, reply.json]).toEqual([
          method,
          403,
          { message: expect.stringContaining('reserved'), path: 'activityId' },
        ])
      }
      expect((await client.request('DELETE', 'activities/profile', { query: { activityId: level } })).status).toBe(403)
      expect((await profile(client, 'GET', level)).json).toEqual({ of: 'fox', by: 'a learner of the studio' })
      expect((await client.request('GET', 'activities/profile', { query: { activityId: level } })).json).toEqual([
        'levels',
      ])
    }
    expect((await profile(foxGame, 'DELETE', level)).status).toBe(204)
  })

  test('over RPC as well', async () => {
    const other = await system.game()
    const scope = { kind: { case: 'activityProfile', value: { activityId: level } } } as const
    const put = { scope, id: 'levels', content: Buffer.from('{}'), contentType: 'application/json' }
    for (const core of [0, 1]) {
      expect(await failureOf(other.rpc(core).documents.putDocument(put))).toMatchObject({ path: 'activityId' })
      const calls = [
        other.rpc(core).documents.putDocument({ ...put, merge: true }),
        other.rpc(core).documents.deleteDocument({ scope, id: 'levels' }),
        other.rpc(core).documents.deleteDocuments({ scope }),
      ]
      expect(await Promise.all(calls.map(reasonOf))).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
    }
  })

  test('statements of others are stored as they are and change no definition, in every place', async () => {
    await foxGame.post(define(level, 'Level 1'))
    const hostile = {
      id: level,
      definition: { name: { en: 'Owls were here' }, extensions: { 'https://owl.example/x': 1 } },
    }
    const elsewhere = `https://elsewhere.example/${randomUUID()}`
    const sent = [
      statement({ object: hostile }),
      statement({
        object: { id: elsewhere, definition: { name: { en: 'Elsewhere' } } },
        context: { contextActivities: { parent: [hostile], other: hostile } },
      }),
      statement({
        object: {
          objectType: 'SubStatement',
          actor: player('ann'),
          verb: { id: 'https://v.example' },
          object: hostile,
        },
      }),
    ]
    const before = (await owlGame.request('GET', 'activities', { query: { activityId: level } })).text
    for (const client of [owlGame, nobodysGame]) {
      const stored = await client.post(sent.map((one) => ({ ...one, id: randomUUID() })))
      expect(stored.status, stored.text).toBe(200)
      const back = await client.get({ statementId: stored.json[0] })
      expect(back.json.object).toEqual(hostile)
      const found = (await client.get({ activity: level, related_activities: true })).json.statements
      expect(found.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(stored.json))
    }
    expect((await owlGame.request('GET', 'activities', { query: { activityId: level } })).text).toBe(before)
    expect(await nameOf(elsewhere)).toBe('Elsewhere')
    // what nobody of the studio has defined is known by its id
    await owlGame.post(define(`${prefix}level-2`, 'Owls were here'))
    expect((await owlGame.request('GET', 'activities', { query: { activityId: `${prefix}level-2` } })).json).toEqual({
      objectType: 'Activity',
      id: `${prefix}level-2`,
    })
    await foxGame.post(define(level, 'Level one'))
    expect(await nameOf(level)).toBe('Level one')
  })

  test('an import for another game changes no definition either', async () => {
    await foxGame.post(define(`${prefix}level-3`, 'Level 3'))
    const other = await system.game()
    const json = Buffer.from(JSON.stringify([define(`${prefix}level-3`, 'Imported')]))
    const messages = async function* () {
      yield { part: { case: 'statements', value: json } } as const
      yield { part: { case: 'end', value: {} } } as const
    }
    expect(
      (await system.admin.admin.importStatements(messages(), { headers: { 'x-lrs-credential': other.key } })).stored,
    ).toBe(1n)
    expect(await nameOf(`${prefix}level-3`)).toBe('Level 3')
  })

  test('the address of the prefix itself and what hangs on it are reserved, its neighbours are not', async () => {
    const itself = prefix.slice(0, -1)
    const tried = [
      itself,
      `${itself}?x`,
      `${itself}#x`,
      prefix,
      `${prefix}a/b/c`,
      `${itself}-2`,
      `${itself}.`,
      itself.slice(0, -1),
      `http${prefix.slice(5)}a`,
    ]
    const replies = await Promise.all(
      tried.map(async (activityId) => (await profile(owlGame, 'PUT', activityId, {})).status),
    )
    expect(replies).toEqual([403, 403, 403, 403, 403, 204, 204, 204, 204])
  })

  test('a sandbox answers as the live game would', async () => {
    expect((await profile(xapi(await sandbox(fox)), 'PUT', level, { tried: 1 })).status).toBe(204)
    const draft = (await owl.on().games.createGame({ name: 'Go' })).gameId
    await stageBuild(system, draft)
    expect((await profile(xapi(await sandbox(owl, { gameId: draft })), 'PUT', level, { tried: 1 })).status).toBe(403)
  })

  test('until it is withdrawn', async () => {
    const gone = place()
    await reserve(gone)
    await holds(gone)
    expect(
      (await system.admin.reservations.listReservations({ studio: fox.slug })).reservations.map((one) => one.prefix),
    ).toContain(gone)
    await system.admin.reservations.withdrawReservation({ prefix: gone })
    await eventually(
      async () => (await profile(owlGame, 'PUT', `${gone}a`, {})).status === 204,
      () => 'open again',
    )
    expect(await reasonOf(system.admin.reservations.withdrawReservation({ prefix: gone }))).toBe('NOT_FOUND')
  })
})

describe('what is reserved', () => {
  test('is one studio’s only: no prefix within another studio’s or around it; its own may grow', async () => {
    const prefix = place()
    await reserve(prefix)
    await reserve(prefix)
    await reserve(`${prefix}level-1/`)
    for (const other of [prefix, `${prefix}x/`, 'https://fox.example/', prefix.replace('https', 'http')])
      expect(await reasonOf(reserve(other, owl))).toBe('CONFLICT')
    const raced = Array.from({ length: 8 }, (_, n) =>
      reasonOf(reserve(`https://race.example/${n % 2 === 0 ? '' : 'a/'}`, n < 4 ? fox : owl)),
    )
    await Promise.all(raced)
    const { reservations } = await system.admin.reservations.listReservations({})
    expect(
      new Set(
        reservations
          .filter((one) => one.prefix.startsWith('https://race.example/'))
          .map(({ studioSlug }) => studioSlug),
      ).size,
    ).toBe(1)
    expect(await reasonOf(reserve(place(), { ...owl, slug: 'nobody' }))).toBe('NOT_FOUND')
  })

  test('is no vocabulary that others use, and no address of another studio’s game', async () => {
    const own = `${home}/games/${game.id}/`
    for (const prefix of [
      'https://w3id.org/xapi/',
      'http://adlnet.gov/expapi/',
      'http://activitystrea.ms/schema/',
      'http://id.tincanapi.com/',
      `${home}/`,
      `${home}/games/`,
      `${home}/games/${randomUUID()}/`,
      `${home}/x/`,
    ]) {
      expect([prefix, await reasonOf(reserve(prefix))]).toEqual([prefix, 'INVALID'])
    }
    expect(await reasonOf(reserve(own, owl))).toBe('INVALID')
    expect(await reasonOf(reserve(own))).toBe('ok')
  })

  test('is shown to its studio only, and bounded', async () => {
    await reserve('https://owl.example/', owl)
    const { reservations } = await owl.on(1).reservations.listOwnReservations({})
    // it may have won the race of another test
    expect(new Set(reservations.map(({ studioSlug }) => studioSlug))).toEqual(new Set([owl.slug]))
    const granted = reservations.find(({ prefix }) => prefix === 'https://owl.example/')!.granted
    expect(Number(granted)).toBeGreaterThan(Date.now() / 1000 - 60)
    const many = await Promise.all(
      Array.from({ length: 51 }, (_, n) => reasonOf(reserve(`https://owl.example/${n}/`, owl))),
    )
    expect(many.filter((reason) => reason === 'ok')).toHaveLength(50 - reservations.length)
  })
})
