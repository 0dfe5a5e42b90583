// Every client in its real runtime against a real system on which things go wrong: each event arrives, once, in order.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endAll, temporaryFolder } from '../../start/fixtures/launch.ts'
import type { Game } from '../../test/support/games.ts'
import { startProcesses, type Processes } from '../../test/support/processes.ts'
import { tokens } from '../../test/support/system.ts'
import { bearer } from '../../test/support/xapi.ts'
import { verbs, type Verb } from '../javascript/verbs.ts'
import { startDriver, type Driver } from './driver.ts'
import { clientsUnderTest, missing } from './drivers.ts'
import { faultyWay, type FaultyWay } from './faults.ts'

/** `npm run clients`: all clients, and as long as it takes; the name of a client: all tests of that one, in short. */
const wanted = process.env['LRS_TEST_CLIENTS']
const all = wanted === 'all'
/** `npm test` leaves out what the tests of the JavaScript client show, too. */
const later = { tags: wanted === undefined ? 'long' : [] }
const [many, without] = all ? [1_000, 60_000] : [100, 3_000]
const chosen = clientsUnderTest.filter(
  ({ name, needs, smoke }) => all || (wanted === undefined ? needs.length === 0 || smoke : name === wanted),
)
for (const client of clientsUnderTest) {
  const lacks = chosen.includes(client) ? missing(client) : ['`npm run clients`, which runs it']
  if (lacks.length > 0) process.stderr.write(`\n!!! NOT RUN: the client ${client.name} needs ${lacks.join(', ')}.\n\n`)
}

const gameIri = 'https://games.example/harbour'
let system: Processes
let way: FaultyWay
beforeAll(async () => {
  system = await startProcesses()
  way = await faultyWay(system.urls[0]!)
})
afterAll(async () => {
  await way.close()
  await system.close()
})

/** Statements, and what a debug build says of them: the field, and what to write instead. */
const mistakes: readonly { statement: object; told: RegExp[] }[] = [
  { statement: { id: 'level-1' }, told: [/^id: "level-1" /, /Leave it out/] },
  {
    statement: { verb: { id: 'completed' } },
    told: [/^verb\.id: "completed" /, /adlnet\.gov\/expapi\/verbs\/completed/],
  },
  { statement: { verb: 'passed' }, told: [/^verb\.id: "passed" /, /adlnet\.gov\/expapi\/verbs\/passed/] },
  { statement: { verb: {} }, told: [/^verb\.id: /, /adlnet\.gov\/expapi\/verbs\/completed/] },
  { statement: { object: { id: 'level:1' } }, told: [/^object\.id: "level:1" /, /Write "level\/1"/] },
  { statement: { result: { score: { scaled: 70 } } }, told: [/^result\.score\.scaled: 70 /, /0\.8/] },
  {
    statement: { result: { score: { raw: 12, min: 0, max: 10 } } },
    told: [/^result\.score\.raw: 12 /, /from 0 to 10,/],
  },
  { statement: { result: { progress: 50 } }, told: [/^result\.progress: 50 /, /0\.5/] },
  { statement: { result: { duration: '90' } }, told: [/^result\.duration: "90" /, /PT90S/] },
  { statement: { result: { success: 'yes' } }, told: [/^result\.success: "yes" /, /true nor false/] },
  { statement: { result: { sucess: true } }, told: [/^result\.sucess: true /, /score, success/] },
]

describe.each(chosen.filter((client) => missing(client).length === 0))('$name', (client) => {
  const usual = client.smoke ? later : {}
  let made: string
  let game: Game
  let actor: object
  let registration: string
  let folder: string
  let drivers: Driver[]
  beforeAll(() => {
    made = temporaryFolder()
    client.prepare?.(made)
  })
  beforeEach(async () => {
    way.reset()
    drivers = []
    game = await system.game()
    registration = randomUUID()
    actor = learner('ann')
    folder = temporaryFolder()
  })
  afterEach(async () => {
    await Promise.all(drivers.map((driver) => driver.kill()))
  })
  afterAll(endAll)

  const learner = (name: string): object => ({
    objectType: 'Agent',
    account: { homePage: 'https://school.example', name },
  })
  async function start(env?: Record<string, string>): Promise<Driver> {
    const driver = await startDriver(client.start(made), folder, env)
    drivers.push(driver)
    return driver
  }
  /** A new process of the same game on the same machine. */
  async function connected(parameters: object = {}, who = actor): Promise<Driver> {
    const driver = await start()
    const launch = {
      endpoint: way.endpoint,
      auth: await game.launch(who, registration),
      actor: who,
      registration,
      activityId: gameIri,
    }
    expect(await driver.do('connect', { launch, ...parameters })).toEqual({ launched: true })
    return driver
  }
  /** One that has sent a request: on a busy machine the first one takes Mono seconds. */
  async function warm(): Promise<Driver> {
    const driver = await connected()
    await driver.do('get', { of: 'state', id: 'none' })
    return driver
  }
  // oxlint-disable-next-line typescript/no-explicit-any
  const stored = (): Promise<any[]> => game.xapi().all({ ascending: true })
  const storedIds = async (): Promise<string[]> => (await stored()).map(({ id }) => id)
  const arrive = (ids: readonly string[], within: number): Promise<void> =>
    expect.poll(storedIds, { timeout: within, interval: 250 }).toEqual(ids)
  const batches = (): { id: string }[][] => way.seen.map(({ body }) => [JSON.parse(body)].flat())

  test('events arrive complete, in order, and in few requests', async () => {
    const driver = await connected()
    const ids = await driver.do('many', { count: many, from: 0 })
    expect(new Set(ids).size).toBe(many)
    await driver.do('flush')
    await arrive(ids, 30_000)
    expect(way.seen.length).toBeLessThanOrEqual(many / 20 + 2)
    const found = await stored()
    expect(found.map(({ object }) => object.id)).toEqual(ids.map((_: string, n: number) => `${gameIri}/event/${n}`))
    for (const { actor: who, context, timestamp, stored: at } of found) {
      expect(who).toMatchObject(actor)
      expect(context.registration).toBe(registration)
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.parse(at) + 1_000)
    }
    expect(await driver.do('pending')).toBe(0)
  })

  test(
    'verbs and types are those of the serious-games profile, and statements tell where they are from',
    usual,
    async () => {
      const driver = await connected({ version: '1.2.3', engine: 'Harbour 4' })
      const said = Object.keys(verbs) as Verb[]
      for (const verb of said)
        await driver.do('say', { verb, activity: { id: 'level/1', name: 'Level 1', type: 'level' } })
      const whole = 'https://other.example/thing'
      await driver.do('say', { verb: 'progressed', activity: whole, result: 0.5 })
      await driver.do('say', { verb: 'scored', activity: whole, result: 0.25 })
      await driver.do('say', {
        verb: 'completed',
        result: { success: true, score: 0.75, progress: 1, duration: 'PT9S' },
      })
      await driver.do('flush')
      await expect.poll(async () => (await stored()).length, { timeout: 10_000 }).toBe(said.length + 3)
      const found = await stored()
      expect(found.slice(0, said.length).map(({ verb }) => verb.id)).toEqual(said.map((verb) => verbs[verb]))
      expect(found[0].object).toMatchObject({
        id: `${gameIri}/level/1`,
        definition: { name: { und: 'Level 1' }, type: 'https://w3id.org/xapi/seriousgames/activity-types/level' },
      })
      expect(found[0].context).toMatchObject({
        registration,
        revision: '1.2.3',
        platform: expect.stringMatching(/./),
        language: expect.stringMatching(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-\d{3})?$/),
        extensions: {
          'urn:games-lrs:client': expect.stringMatching(/^games-lrs.* \d+\.\d+\.\d+$/),
          'urn:games-lrs:engine': 'Harbour 4',
        },
      })
      expect(found.find(({ verb }) => verb.id === verbs.failed).result).toEqual({ success: false })
      const progress = (value: number) => ({ 'https://w3id.org/xapi/seriousgames/extensions/progress': value })
      expect(found.slice(-3).map(({ object, result }) => [object.id, result])).toEqual([
        [whole, { extensions: progress(0.5) }],
        [whole, { score: { scaled: 0.25 } }],
        [
          gameIri,
          { completion: true, success: true, duration: 'PT9S', score: { scaled: 0.75 }, extensions: progress(1) },
        ],
      ])
    },
  )

  test('three events wait for others, 5 s at most', later, async () => {
    const driver = await warm()
    const begun = Date.now()
    const ids = [await driver.do('say', { verb: 'initialized' })]
    for (const activity of ['a', 'b']) ids.push(await driver.do('say', { verb: 'accessed', activity }))
    await arrive(ids, 12_000)
    expect(way.seen).toHaveLength(1)
    expect(way.seen[0]!.at - begun).toBeGreaterThan(3_500)
    expect(way.seen[0]!.at - begun).toBeLessThan(8_000)
  })

  test('one refused statement is reported once with its reason, and the others arrive', later, async () => {
    const driver = await connected()
    const ids: string[] = []
    for (let n = 0; n < 7; n++)
      ids.push(await driver.do('say', { verb: 'scored', activity: `level/${n}`, result: { score: n === 4 ? 7 : 0.5 } }))
    await driver.do('flush')
    await arrive(ids.toSpliced(4, 1), 10_000)
    await expect.poll(() => driver.told.length, { timeout: 10_000 }).toBe(1)
    expect(driver.told[0]).toMatchObject({ status: 400, id: ids[4], message: expect.stringContaining('scaled') })
    const requests = way.seen.length
    expect(requests).toBeLessThanOrEqual(8)
    await driver.do('flush')
    expect(way.seen).toHaveLength(requests)
    expect(await driver.do('pending')).toBe(0)
  })

  test('bad statements that the service names are left out, and the others are sent once more', later, async () => {
    const driver = await connected()
    way.from({ kind: 'down' })
    const ids: string[] = await driver.do('many', { count: 250, from: 0 })
    // some clients repeat their first attempt as it was, with the first 20
    const bad = [3, 7, 11]
    const faults = bad.map((index) => ({ index, path: '', message: `statements[${index}] is bad` }))
    const wrong = [{ index: 250 }, { index: -1 }, { index: 0.5 }, { index: '1' }, null, { index: 3 }]
    way.from({ kind: 'none' })
    const answered = way.seen.length
    way.next({ kind: 'answer', status: 400, body: JSON.stringify({ message: 'bad', faults: [...wrong, ...faults] }) })
    await driver.do('flush')
    await arrive(
      ids.filter((_, n) => !bad.includes(n)),
      30_000,
    )
    expect(way.seen.slice(answered).map(({ status }) => status)).toEqual([400, 200])
    await expect.poll(() => driver.told.length, { timeout: 10_000 }).toBe(3)
    expect(driver.told.map(({ id, message }) => [id, message])).toEqual(
      bad.map((index) => [ids[index], `statements[${index}] is bad`]),
    )
    expect(await driver.do('pending')).toBe(0)
  })

  test('`send` spells out ids and results as verbs do', later, async () => {
    const driver = await connected()
    const verb = { id: verbs.completed }
    const sent = [
      { object: { id: 'level/1' }, result: { score: 0.5, progress: 0.25 } },
      { object: { id: 'https://other.example/thing' } },
      { object: { objectType: 'StatementRef', id: randomUUID() } },
    ]
    for (const statement of sent) await driver.do('send', { statement: { verb, ...statement } })
    await driver.do('flush')
    await expect.poll(async () => (await stored()).length, { timeout: 10_000 }).toBe(3)
    const found = await stored()
    expect(found.map(({ object }) => object.id)).toEqual([
      `${gameIri}/level/1`,
      ...sent.slice(1).map((s) => s.object.id),
    ])
    expect(found[0].result).toEqual({
      score: { scaled: 0.5 },
      extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': 0.25 },
    })
    expect(Object.keys(found[2].context)).not.toContain('platform')
  })

  test('debug builds tell each mistake once, with its field and what to write instead', later, async () => {
    way.from({ kind: 'down' })
    const driver = await connected({ debug: true })
    const verb = { id: verbs.completed }
    for (const { statement } of mistakes) await driver.do('send', { statement: { verb, object: {}, ...statement } })
    await driver.do('say', { verb: 'completed', activity: { id: 'a', type: 'levle' }, result: 80 })
    await driver.do('say', { verb: 'completed', activity: { id: 'a', type: 'levle' }, result: 80 })
    const wanted = [...mistakes, { told: [/type: "levle" .*level/] }, { told: [/^result\.score.*: 80 .*0\.8/] }]
    await expect.poll(() => driver.told.length, { timeout: 10_000 }).toBe(wanted.length)
    for (const [n, { told }] of wanted.entries()) {
      expect(driver.told[n]!.status).toBe(0)
      for (const part of told) expect(driver.told[n]!.message).toMatch(part)
    }
  })

  test.skipIf(!client.throws)(
    'what a handler of the game throws reaches the game, and the client goes on',
    later,
    async () => {
      const driver = await connected({ throws: 'thrown by the game' })
      way.next({ kind: 'answer', status: 400 })
      await driver.do('say', { verb: 'initialized' })
      await driver.do('flush')
      await expect.poll(() => driver.told.length, { timeout: 10_000 }).toBe(2)
      expect(driver.told[1]!.message).toContain('thrown by the game')
      const id = await driver.do('say', { verb: 'terminated' })
      await driver.do('flush')
      await arrive([id], 10_000)
    },
  )

  test(
    'a clock that is wrong by years is told with statements, once the service has told the time',
    later,
    async () => {
      const driver = await connected()
      const Date = 'Sat, 01 Jan 2000 00:00:00 GMT'
      way.next({ kind: 'answer', status: 503, headers: { Date } })
      await driver.do('say', { verb: 'initialized' })
      await driver.do('flush')
      await driver.do('say', { verb: 'terminated' })
      await driver.do('flush')
      await expect.poll(async () => (await stored()).length, { timeout: 20_000 }).toBe(2)
      const offsets = (await stored()).map(({ context }) => context.extensions['urn:games-lrs:clock-offset'])
      expect(offsets[0]).toBeUndefined()
      expect(offsets[1]).toBeLessThan(-26 * 365 * 86_400)
    },
  )

  test('an answer that is lost leads to the identical request, and to one statement', later, async () => {
    const driver = await connected()
    way.next({ kind: 'answer lost' }, { kind: 'answer lost' })
    const ids = await driver.do('many', { count: 5, from: 0 })
    await driver.do('flush')
    await arrive(ids, 20_000)
    await expect.poll(() => way.seen.length, { timeout: 20_000 }).toBe(3)
    await expect.poll(() => driver.do('pending'), { timeout: 10_000 }).toBe(0)
    expect(new Set(way.seen.map(({ body }) => body)).size).toBe(1)
    expect(await storedIds()).toEqual(ids)
  })

  test('an answer counts when the connection is closed after it', later, async () => {
    const driver = await connected()
    way.from({ kind: 'closing' })
    const ids = await driver.do('many', { count: 5, from: 0 })
    await driver.do('flush')
    await arrive(ids, 10_000)
    await expect.poll(() => driver.do('pending'), { timeout: 10_000 }).toBe(0)
    expect(way.seen).toHaveLength(1)
  })

  test('429 and 503 with Retry-After are asked again no sooner', later, async () => {
    const driver = await connected()
    const wait = (seconds: number) => ({ headers: { 'Retry-After': `${seconds}` } })
    way.next({ kind: 'answer', status: 429, ...wait(3) }, { kind: 'answer', status: 503, ...wait(4) })
    const ids = await driver.do('many', { count: 30, from: 0 })
    await driver.do('flush')
    await arrive(ids, 30_000)
    const [first, second, third] = way.seen.map(({ at }) => at)
    expect(second! - first!).toBeGreaterThanOrEqual(2_900)
    expect(third! - second!).toBeGreaterThanOrEqual(3_900)
    expect(driver.told).toEqual([])
  })

  test(
    'an answer of no record store loses nothing: a page of a network, a redirect, a wrong Retry-After',
    later,
    async () => {
      const driver = await connected()
      const page = { kind: 'answer', status: 200, body: '<!doctype html><title>Sign in</title>' } as const
      const away = { kind: 'answer', status: 302, headers: { Location: `${system.urls[0]}/healthz` } } as const
      const never = { kind: 'answer', status: 503, headers: { 'Retry-After': 'NaN' } } as const
      way.next(page, away, never)
      const ids = await driver.do('many', { count: 5, from: 0 })
      await driver.do('flush')
      await arrive(ids, 30_000)
      await expect.poll(() => driver.do('pending'), { timeout: 10_000 }).toBe(0)
      expect(driver.told).toEqual([])
    },
  )

  test('a slow service gets one request at a time', later, async () => {
    const driver = await connected()
    way.from({ kind: 'slow', by: 700 })
    const ids = await driver.do('many', { count: 60, from: 0 })
    await driver.do('flush')
    await arrive(ids, 30_000)
    const times = way.seen.map(({ at }) => at)
    for (const [n, at] of times.slice(1).entries()) expect(at - times[n]!).toBeGreaterThanOrEqual(1_300)
  })

  test(
    `the store is killed for ${without / 1000} s: no event is lost or doubled, and requests are few`,
    usual,
    async () => {
      const driver = await connected()
      const ids: string[] = await driver.do('many', { count: many / 2, from: 0 })
      await system.killCore(0)
      const begun = Date.now()
      ids.push(...(await driver.do('many', { count: many / 2, from: many / 2 })))
      await sleep(without - (Date.now() - begun))
      const refused = way.seen.filter(({ status }) => status !== 200).length
      // after 1, 2, 4 … 60 s, each at least half of it, and once when what waits is flushed
      expect(refused).toBeLessThanOrEqual(Math.log2(without / 500) + 4)
      await system.reviveCore(0)
      // a busy machine takes long to start the store, and then the last wait of up to 60 s has just begun
      await arrive(ids, 180_000)
      await expect.poll(() => driver.do('pending'), { timeout: 90_000 }).toBe(0)
      expect(driver.told).toEqual([])
    },
  )

  test('the client is killed twice, offline and while it sends: what it said to be kept arrives once', async () => {
    way.from({ kind: 'down' })
    let driver = await connected()
    const ids: string[] = await driver.do('many', { count: many / 2, from: 0 })
    await driver.kill()
    way.from({ kind: 'slow', by: 150 })
    driver = await connected()
    ids.push(...(await driver.do('many', { count: many / 2, from: many / 2 })))
    await expect.poll(() => way.seen.some(({ status }) => status === 200), { timeout: 30_000 }).toBe(true)
    await driver.kill()
    way.from({ kind: 'none' })
    driver = await connected()
    await expect.poll(() => driver.do('pending'), { timeout: 60_000 }).toBe(0)
    expect(await storedIds()).toEqual(ids)
  })

  test('two learners on one machine: each has what was theirs', later, async () => {
    way.from({ kind: 'down' })
    const [ann, ben] = [learner('ann'), learner('ben')]
    let driver = await connected({}, ann)
    const ofAnn = await driver.do('say', { verb: 'completed', activity: 'level/1' })
    await driver.kill()
    way.from({ kind: 'none' })
    driver = await connected({}, ben)
    const ofBen = await driver.do('say', { verb: 'completed', activity: 'level/1' })
    await driver.do('flush')
    await arrive([ofBen], 10_000)
    await driver.kill()
    await connected({}, ann)
    await arrive([ofBen, ofAnn], 15_000)
    expect((await stored()).map(({ actor: who }) => who.account.name)).toEqual(['ben', 'ann'])
  })

  test('a pause sends at once; a quit sends what waits and ends', usual, async () => {
    const driver = await warm()
    const said = Date.now()
    const first = await driver.do('say', { verb: 'initialized' })
    await driver.do('pause')
    await expect.poll(storedIds, { timeout: 10_000, interval: 100 }).toEqual([first])
    // without the pause it waits for 5 s
    expect(way.seen[0]!.at - said).toBeLessThan(4_500)
    const second = await driver.do('say', { verb: 'terminated' })
    await driver.do('quit')
    expect(await driver.ended).toBe(0)
    await arrive([first, second], 5_000)
  })

  test('a launch file that was renewed is read again when the token has ended', later, async () => {
    const file = join(folder, '..', `${randomUUID()}.json`)
    const write = (auth: string): void => {
      const context = { endpoint: way.endpoint, auth, actor, registration, activity_id: gameIri }
      writeFileSync(file, JSON.stringify(context))
    }
    const auth = await game.launch(actor, registration)
    write(auth)
    const driver = await start({ XAPI_LAUNCH_FILE: file })
    expect(await driver.do('connect')).toEqual({ launched: true })
    const first = await driver.do('say', { verb: 'initialized' })
    await driver.do('flush')
    await arrive([first], 10_000)
    const { identity } = system.connections[0]!.as(bearer(tokens.admin))
    await identity.endSessions({ sessions: { case: 'token', value: auth.replace('Bearer ', '') } })
    write(await game.launch(actor, registration))
    const second = await driver.do('say', { verb: 'terminated' })
    await driver.do('flush')
    await arrive([first, second], 20_000)
    expect(way.seen.map(({ status }) => status)).toEqual([200, 401, 200])
    expect(driver.told).toEqual([])
  })

  test.each([
    [401, 'the token has ended'],
    [404, 'the address is wrong'],
  ])('%i, %s: nothing more is sent, and what waits is there in the next session', later, async (status) => {
    let driver = await connected()
    way.next({ kind: 'answer', status })
    const id = await driver.do('say', { verb: 'initialized' })
    await driver.do('flush')
    await expect.poll(() => driver.told.length, { timeout: 10_000 }).toBe(1)
    expect(driver.told[0]!.status).toBe(status)
    expect(await driver.do('pending')).toBe(1)
    await driver.do('flush')
    await sleep(1_000)
    expect(way.seen).toHaveLength(1)
    await driver.kill()
    driver = await connected()
    await arrive([id], 15_000)
  })

  test('without consent nothing is kept or sent, nor what an earlier session left', usual, async () => {
    const earlier = await connected()
    way.from({ kind: 'down' })
    await earlier.do('say', { verb: 'initialized' })
    await earlier.do('quit')
    await earlier.ended
    way.from({ kind: 'none' })
    const driver = await connected({ consent: false })
    expect(await driver.do('pending')).toBe(0)
    expect(await driver.do('say', { verb: 'initialized' })).toBeNull()
    await driver.do('consent', { granted: true })
    const kept = await driver.do('say', { verb: 'accessed', activity: 'a' })
    await driver.do('flush')
    await arrive([kept], 10_000)
    await driver.do('say', { verb: 'accessed', activity: 'b' })
    await driver.do('consent', { granted: false })
    expect(await driver.do('pending')).toBe(0)
    await driver.do('flush')
    expect(await storedIds()).toEqual([kept])
    await driver.do('put', { of: 'state', id: 'save', value: { level: 1 } })
    expect((await driver.do('get', { of: 'state', id: 'save' })).value).toEqual({ level: 1 })
  })

  test('documents: none, new, changed, changed by another, merged, listed, removed', later, async () => {
    const driver = await connected()
    const save = { of: 'state', id: 'save' }
    expect(await driver.do('get', save)).toBeNull()
    const first = await driver.do('put', { ...save, value: { level: 1, name: 'Ännchen' }, etag: null })
    await expect(driver.do('put', { ...save, value: {}, etag: null })).rejects.toMatchObject({ status: 412 })
    const { value, etag } = await driver.do('get', save)
    // a service that tells the ETag saves a request
    if (first !== null) expect(first).toBe(etag)
    expect(value).toEqual({ level: 1, name: 'Ännchen' })
    await driver.do('put', { ...save, value: { level: 2 }, etag })
    await expect(driver.do('put', { ...save, value: { level: 3 }, etag })).rejects.toMatchObject({ status: 412 })
    await driver.do('merge', { ...save, value: { coins: 5 } })
    expect((await driver.do('get', save)).value).toEqual({ level: 2, coins: 5 })
    expect(await driver.do('list', { of: 'state' })).toEqual(['save'])
    await driver.do('remove', save)
    expect(await driver.do('get', save)).toBeNull()
    // games share the profile of a learner: the client before has put one as well
    const id = randomUUID()
    for (const of of ['activityProfile', 'agentProfile']) {
      await driver.do('put', { of, id, value: { score: 0.5 }, etag: null })
      expect((await driver.do('get', { of, id })).value).toEqual({ score: 0.5 })
    }
  })

  /** What some browsers lack: WebKit's IndexedDB may not answer, pages without https and older ones have less. */
  const lacks = ['indexedDB', 'crypto.randomUUID', 'AbortSignal.timeout', 'navigator.locks']

  test.skipIf(!client.inPage)(
    `without ${lacks.join(', ')} the next page sends what a closed one left`,
    later,
    async () => {
      way.from({ kind: 'down' })
      let driver = await connected({ lacks })
      const ids = await driver.do('many', { count: 30, from: 0 })
      await driver.do('quit')
      await driver.ended
      way.from({ kind: 'none' })
      driver = await connected({ lacks })
      await arrive(ids, 15_000)
      await expect.poll(() => way.seen.filter(({ status }) => status === 200).length).toBe(1)
    },
  )

  test.skipIf(!client.inPage)('two tabs send in batches', later, async () => {
    const driver = await connected()
    for (let round = 0; round < 3; round++) {
      await driver.do('many', { count: 15, from: 15 * round, tab: 1 })
      await driver.do('flush')
    }
    // a flush ends at once while the other tab sends
    await expect.poll(async () => (await stored()).length, { timeout: 15_000 }).toBe(45)
    const before = way.seen.length
    await driver.do('many', { count: 10, from: 45, tab: 1 })
    await driver.do('flush')
    await expect.poll(async () => (await stored()).length, { timeout: 15_000 }).toBe(55)
    expect(way.seen.length - before).toBeLessThanOrEqual(2)
  })

  test.skipIf(!client.inPage)(
    'a page that has Node, as in Electron, is launched by its environment',
    later,
    async () => {
      const driver = await start()
      const env = { XAPI_ENDPOINT: way.endpoint, XAPI_AUTH: await game.launch(actor, registration) }
      expect(await driver.do('connect', { env })).toEqual({ launched: true })
      const id = await driver.do('say', { verb: 'initialized', activity: gameIri })
      await driver.do('flush')
      await arrive([id], 10_000)
    },
  )

  test('a game without a launch context plays, and reports nothing', later, async () => {
    const driver = await start()
    expect(await driver.do('connect')).toEqual({ launched: false })
    expect(await driver.do('say', { verb: 'initialized' })).toBeNull()
    expect(await driver.do('get', { of: 'state', id: 'save' })).toBeNull()
    await driver.do('put', { of: 'state', id: 'save', value: { level: 1 } })
    expect(await driver.do('list', { of: 'state' })).toEqual([])
    await driver.do('flush')
    expect(await driver.do('pending')).toBe(0)
    expect(batches()).toEqual([])
    await driver.do('quit')
    expect(await driver.ended).toBe(0)
  })
})
