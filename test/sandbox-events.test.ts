import { randomUUID } from 'node:crypto'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Launch, SandboxEvent } from '../gen/lrs/v1/launches_pb.js'
import { attachment, contentPart, jsonPart, multipart, multipartType } from './support/attachments.ts'
import { reasonOf } from './support/failures.ts'
import { startLaunches, type Launches } from './support/launches.ts'
import { activity, player, statement, statements } from './support/statements.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem } from './support/system.ts'
import { bearer, xapiClient } from './support/xapi.ts'

let { system, fox, owl, game, publish, sandbox, xapi, play } = {} as Launches
beforeAll(async () => {
  ;({ system, fox, owl, game, publish, sandbox, xapi, play } = await startLaunches())
})
afterAll(() => system.close())

async function events(launch: Launch, count: number, studio = fox): Promise<SandboxEvent[]> {
  const read = async () => {
    const all: SandboxEvent[] = []
    for await (const { events } of studio.on(1).launches.observe({ sessionId: launch.sessionId, noFollow: true }))
      all.push(...events)
    return all
  }
  await expect.poll(read).toHaveLength(count)
  return read()
}

async function drain(studio: Studio, { sessionId }: Launch): Promise<void> {
  for await (const _ of studio.on().launches.observe({ sessionId })) break
}

describe('who observes a sandbox session', () => {
  test('sees every request in order, accepted and refused, by gateway or by core, with reason and path', async () => {
    const launch = await sandbox()
    const client = xapi(launch)
    const other = xapi(launch, 1)
    const state = { activityId: activity('chess').id, agent: launch.actor, stateId: 'save' }
    await client.post(statements(2))
    await client.put(randomUUID(), { ...statement(), id: undefined })
    await other.request('PUT', 'activities/state', { query: state, body: { level: 3 } })
    await client.request('GET', 'activities/state', { query: state })
    await client.post([statement(), { ...statement(), verb: { id: 'no iri' } }])
    const agent = JSON.stringify(player('another'))
    await client.request('GET', 'activities/state', { query: { ...state, agent } })
    await client.get({ limit: 5 })
    const beforeGateway = await events(launch, 7)
    await client.get({ bogus: 1 })
    await client.request('POST', 'statements', {
      body: statement(),
      headers: { 'x-experience-api-version': undefined },
    })
    await other.request('PUT', 'activities/state', {
      query: state,
      body: 'x'.repeat(600 * 1024),
      headers: { 'content-type': 'text/plain' },
    })
    await client.request('PATCH', 'statements')
    await client.request('GET', 'statement')
    await client.request('GET', 'agents', { query: { agent: '{' } })
    await client.post('{"not json')

    const all = await events(launch, 14)
    expect(all.map(({ number }) => Number(number))).toEqual(Array.from({ length: 14 }, (_, n) => n + 1))
    const told = (list: SandboxEvent[]) =>
      list.map(({ request, status, reason, path }) => `${request} ${status} ${reason} ${path}`.trim())
    expect(told(beforeGateway).sort()).toEqual([
      'GET /xapi/activities/state 200',
      'GET /xapi/activities/state 403 FORBIDDEN agent',
      'GET /xapi/statements 200',
      'POST /xapi/statements 200',
      'POST /xapi/statements 400 INVALID statements[1].verb.id',
      'PUT /xapi/activities/state 204',
      'PUT /xapi/statements 204',
    ])
    expect(told(all.slice(7)).sort()).toEqual([
      'GET /xapi/agents 400 INVALID agent',
      'GET /xapi/statement 404 NOT_FOUND',
      'GET /xapi/statements 400 INVALID bogus',
      'PATCH /xapi/statements 405 INVALID',
      'POST /xapi/statements 400 INVALID',
      'POST /xapi/statements 400 INVALID X-Experience-API-Version',
      'PUT /xapi/activities/state 413 TOO_LARGE',
    ])
    // each core writes for itself what it took, so the time tells the order and not the number
    const inTime = all.slice(0, 7).sort((a, b) => Number(a.at - b.at))
    const posted = inTime.find(({ message }) => message === 'stored 2 statements')!
    expect(JSON.parse(posted.body)).toHaveLength(2)
    expect(Number(posted.at)).toBeGreaterThan(Date.now() - 60_000)
    expect([posted.at, inTime.at(-1)!.at]).toEqual([
      inTime[0]!.at,
      all.find(({ request }) => request === 'GET /xapi/statements')!.at,
    ])
    expect(
      all.find(({ request, status }) => request.startsWith('PUT /xapi/activities') && status === 204),
    ).toMatchObject({ message: 'stored state document “save”, 11 bytes', body: '{"level":3}' })
    expect(all.find(({ path }) => path === 'statements[1].verb.id')).toMatchObject({
      message: expect.stringContaining('IRI'),
      body: expect.stringContaining('no iri'),
    })
  })

  test('is warned of slips in serious games, from what all cores stored; other sessions do not matter', async () => {
    const launch = await sandbox()
    const clients = [xapi(launch), xapi(launch, 1)]
    const type = 'https://w3id.org/xapi/seriousgames/activity-types/level'
    const did = (verb: string, level = 1) =>
      statement({
        verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
        object: { id: `https://games.example.org/levels/${level}`, definition: { type } },
      })
    await clients[0]!.post([did('completed'), did('initialized')])
    await clients[1]!.post([did('initialized', 2), did('completed')])
    await clients[0]!.post([statement(), did('initialized', 2), did('completed'), did('completed', 4)])
    const all = (await events(launch, 3)).toSorted((a, b) => Number(a.at - b.at))
    expect(all.map(({ message }) => message)).toEqual([
      'stored 2 statements',
      'stored 2 statements',
      'stored 4 statements',
    ])
    expect(all.map(({ warnings }) => warnings.map(({ statement, rule }) => `${statement} ${rule}`))).toEqual([
      ['0 completed-without-start'],
      [],
      ['1 restart-before-end', '2 completed-without-start', '3 completed-without-start'],
    ])
    // the same learner in another session
    const { learners } = await fox.on().launches.listTestLearners({ gameId: game.id })
    const { learnerId } = learners.find(({ name }) => name === launch.learnerName)!
    const other = await sandbox(fox, { learnerId })
    await xapi(other).post([did('initialized', 2), did('completed', 3)])
    expect((await events(other, 1))[0]!.warnings).toMatchObject([{ statement: 1, rule: 'completed-without-start' }])
  })

  test('is told at once, whichever core took the request, from where it left off; until it goes', async () => {
    const launch = await sandbox()
    await xapi(launch).post(statement())
    await events(launch, 1)
    const numbers: number[] = []
    const leave = new AbortController()
    const watching = (async () => {
      for await (const { events } of fox
        .on(1)
        .launches.observe({ sessionId: launch.sessionId, after: 1n }, { signal: leave.signal })) {
        numbers.push(...events.map(({ number }) => Number(number)))
      }
    })().catch((error) => ConnectError.from(error).rawMessage)
    const waits: number[] = []
    const direct = system.connections[0]!.as(bearer(launch.token)).statements
    for (let n = 2; n <= 6; n++) {
      const sent = performance.now()
      await direct.storeStatements({ json: Buffer.from(JSON.stringify(statement())) })
      await expect.poll(() => numbers.at(-1), { interval: 10 }).toBe(n)
      // the slow look comes every five seconds: all four at once within two they cannot be by that
      if (n > 2) waits.push(performance.now() - sent)
    }
    expect(numbers).toEqual([2, 3, 4, 5, 6])
    expect(Math.min(...waits)).toBeLessThan(2_000)
    leave.abort()
    expect(await watching).toContain('abort')
    expect(await reasonOf(drain(owl, launch))).toBe('NOT_FOUND')
  })

  test('misses none when many come at once, and the latest 2,000 are kept', async () => {
    const launch = await sandbox()
    await system.database.sql('update launch set events = 1990 where uuid = $1', [launch.sessionId])
    const { store } = system.cores[0]!
    const event = { at: 1, request: 'r', status: 200, message: '', path: '', reason: '', body: 'ä' }
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        system.cores[n % 2]!.store.sandboxEvents.add(launch.sessionId, [event, event]),
      ),
    )
    const all = await store.sandboxEvents.after(launch.sessionId, 0, 3_000)
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, n) => 1991 + n))
    await store.sandboxEvents.add(
      launch.sessionId,
      Array.from({ length: 1_990 }, () => event),
    )
    const [{ n, first }] = (await system.database.sql(
      'select count(*)::int as n, min(number)::int as first from sandbox_event where session = $1',
      [launch.sessionId],
    )) as [{ n: number; first: number }]
    expect([n, first]).toEqual([2_000, 2_021])
  })

  test('of a session that is full of large requests all are counted, but only the latest are read', async () => {
    const launch = await sandbox()
    await system.database.sql('update launch set events = 2000 where uuid = $1', [launch.sessionId])
    const text = `insert into sandbox_event (session, number, at, request, status, message, path, reason, body,
        statements, rejected)
      select $1, n, now(), 'POST /xapi/statements', 200, '', '', '', repeat('ä', 8000), 2, n <= 10
      from generate_series(1, 2000) n`
    await system.database.sql(text, [launch.sessionId])
    const look = async (after: bigint, noFollow: boolean) => {
      for await (const seen of fox.on().launches.observe({ sessionId: launch.sessionId, after, noFollow })) return seen
      throw new Error('nothing was sent')
    }
    for (const noFollow of [true, false]) {
      const { events, kept } = await look(0n, noFollow)
      expect(kept).toMatchObject({ requests: 2_000, statements: 4_000, rejected: 10 })
      expect(events.map(({ number }) => Number(number))).toEqual([1996, 1997, 1998, 1999, 2000])
    }
    expect((await look(1998n, true)).events.map(({ number }) => Number(number))).toEqual([1999, 2000])
    expect((await look(2n ** 64n - 1n, true)).events).toEqual([])
    await system.database.sql(`update sandbox_event set body = '' where session = $1`, [launch.sessionId])
    expect((await look(0n, true)).events).toHaveLength(300)
  })

  test('sees a request with attachments once, also when it breaks off', async () => {
    const launch = await sandbox()
    const content = 'r'.repeat(300_000)
    const parts = [jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)]
    const headers = { 'content-type': multipartType }
    const broken = multipart(parts).subarray(0, 200_000)
    expect((await xapi(launch).request('POST', 'statements', { body: broken, headers })).status).toBe(400)
    expect((await xapi(launch).request('POST', 'statements', { body: multipart(parts), headers })).status).toBe(200)
    await events(launch, 2)
    await new Promise((done) => setTimeout(done, 200))
    expect((await events(launch, 2)).map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('sees the beginning of long bodies up to a whole character, and nothing of what is no text', async () => {
    const launch = await sandbox()
    const query = { activityId: activity('chess').id, agent: launch.actor, stateId: 's' }
    await xapi(launch).request('PUT', 'activities/state', {
      query,
      body: `x${'ä'.repeat(10_000)}`,
      headers: { 'content-type': 'text/plain' },
    })
    await xapi(launch).request('PUT', 'activities/state', {
      query,
      body: Buffer.from([0, 1, 2]),
      headers: { 'content-type': 'image/png' },
    })
    const bodies = (await events(launch, 2)).map(({ body }) => body)
    expect(bodies.sort()).toEqual(['', `x${'ä'.repeat(8_191)}`])
  })
})

test('a live game is not watched, but its refusals are counted, those of the gateway too', async () => {
  const other = await publish(owl)
  const { launch } = await play({ slug: other.slug, learnerName: 'Liv' })
  await xapi(launch!).post({ ...statement(), verb: {} })
  await xapi(launch!).get({ bogus: 1 })
  const { actor: agent } = launch!
  // there is none yet: an answer
  expect(
    (
      await xapi(launch!).request('GET', 'activities/state', {
        query: { activityId: 'https://a.example/1', agent, stateId: 'save' },
      })
    ).status,
  ).toBe(404)
  await xapi(launch!).get({ agent: JSON.stringify(player('another')) })
  await xapi(launch!).request('GET', 'statement')
  const counted = async () => {
    await Promise.all(system.cores.map(({ refusals }) => refusals.flush()))
    const text =
      'select r.request, r.status, r.path from refusal_tally r join game g on g.id = r.game where g.uuid = $1 order ' +
      'by path, request'
    return system.database.sql(text, [other.id])
  }
  await expect.poll(counted).toEqual([
    // paths and parameters that are not ours may name a learner
    { request: 'GET /…', status: 404, path: '' },
    { request: 'GET /xapi/statements', status: 403, path: 'agent' },
    { request: 'POST /xapi/statements', status: 400, path: 'verb.id' },
    { request: 'GET /xapi/statements', status: 400, path: '…' },
  ])
  expect(
    await system.database.sql(
      'select from sandbox_event e join launch l on l.uuid = e.session where l.registration = $1',
      [launch!.registration],
    ),
  ).toEqual([])
})

test('a session whose two hours are over is refused, shown as refused to its studio, and not given again', async () => {
  let late = 0
  const own = await startSystem({ now: () => Date.now() + late })
  try {
    const studio = await addStudio(own, 'Late')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    await stageBuild(own, gameId)
    const launch = (await studio.on().launches.openSandbox({ gameId })).launch!
    const client = xapiClient(own.urls[0]!, bearer(launch.token))
    expect((await client.post(statement())).status).toBe(200)
    late = 2 * 60 * 60 * 1000 + 1_000
    expect((await client.post(statement())).status).toBe(401)
    expect((await client.get({ bogus: 1 })).status).toBe(400)
    const seen = async () => {
      const all: string[] = []
      for await (const { events } of studio.on().launches.observe({ sessionId: launch.sessionId, noFollow: true }))
        all.push(...events.map(({ status, reason, path }) => `${status} ${reason} ${path}`.trim()))
      return all
    }
    await expect.poll(seen).toEqual(['200', '401 UNAUTHENTICATED', '400 INVALID bogus'])
    expect(await reasonOf(studio.on().launches.getSandbox({ sessionId: launch.sessionId }))).toBe('NOT_FOUND')
    expect(await reasonOf(own.admin.launches.getLaunch({ sessionSecret: launch.sessionSecret }))).toBe('NOT_FOUND')
  } finally {
    await own.close()
  }
})
