import { randomBytes, randomUUID } from 'node:crypto'
import { connect } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { attachment, sha256, upload } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { player, reference, statement, statements } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import { bestOfThree } from './support/cost.ts'
import { meanwhile } from './support/meanwhile.ts'

let system: System
let hostile: Game
let neighbour: Game
beforeAll(async () => {
  system = await startSystem({ hasty: true })
  hostile = await system.game()
  neighbour = await system.game()
})
afterAll(() => system.close())

const named = (count: number, more = (_index: number) => ({})) =>
  Array.from({ length: count }, (_, index) => ({ id: `https://games.example.org/many/${index}`, ...more(index) }))
const other = (activities: object[]) => ({ contextActivities: { other: activities } })

/** Milliseconds, on a busy machine. Core by itself refuses with 503 who would have to wait for more than 2 s for others. */
const bearable = 20_000

/** The work, and how long a neighbour had to wait for a statement of its own meanwhile, in milliseconds. */
async function besides<T>(work: () => Promise<T>): Promise<{ result: T; waited: number }> {
  let waited = 0
  const ask = async () => {
    const began = performance.now()
    expect((await neighbour.xapi().post(statement())).status).toBe(200)
    waited = Math.max(waited, performance.now() - began)
  }
  const result = await meanwhile(ask, work)
  return { result, waited }
}

describe('what would make all other writers wait', () => {
  test(
    'referrers times what is named in the statement that they refer to: 400, and nothing of it is stored',
    bestOfThree,
    async () => {
      const xapi = hostile.xapi()
      const target = randomUUID()
      expect((await xapi.post(statements(250, { object: reference(target) }))).status).toBe(200)
      const { result, waited } = await besides(() => xapi.post(statement({ id: target, context: other(named(1_000)) })))
      expect([result.status, result.json.message]).toEqual([400, expect.stringContaining('links by StatementRefs')])
      expect(waited).toBeLessThan(bearable)
      expect((await xapi.get({ statementId: target })).status).toBe(404)

      // what is within the bound is found through its referrers
      expect((await xapi.post(statement({ id: target, context: other(named(5)) }))).status).toBe(200)
      const { statements: found } = (
        await xapi.get({ activity: named(1)[0]!.id, related_activities: true, limit: 500 })
      ).json
      expect(found).toHaveLength(251)
    },
  )

  test('another definition of an activity in every mention: the newest ones count', bestOfThree, async () => {
    const id = 'https://games.example.org/activities/defined-anew'
    const definition = (index: number) => ({
      id,
      definition: { type: 'https://games.example.org/type', extensions: { [`x:${index}`]: index } },
    })
    const all = Array.from({ length: 5_000 }, (_, index) => definition(index))
    const { waited } = await besides(async () => {
      for (const list of [all, all, all.toReversed()]) {
        expect((await hostile.xapi().post(list.map((object) => statement({ object })).slice(0, 250))).status).toBe(200)
        expect((await hostile.xapi().post(statement({ context: other(list) }))).status).toBe(200)
      }
    })
    expect(waited).toBeLessThan(bearable)
    const read = async () =>
      (await hostile.xapi().request('GET', 'activities', { query: { activityId: id } })).json.definition.extensions
    expect(Object.keys(await read())).toHaveLength(1_000)
    expect((await hostile.xapi().post(statement({ object: definition(0) }))).status).toBe(200)
    expect(await read()).toHaveProperty('x:0', 0)
  })

  test('large definitions: the newest ones of 256 KB together are kept, none that is larger alone', async () => {
    const id = 'https://games.example.org/activities/large'
    const posted: [tag: string, size: number][] = [
      ['x-a', 200_000],
      ['x-b', 100_000],
      ['x-c', 100_000],
      ['x-d', 1_000_000],
    ]
    for (const [tag, size] of posted) {
      const object = { id, definition: { name: { [tag]: 'x'.repeat(size) } } }
      expect((await hostile.xapi().post(statement({ object }))).status).toBe(200)
    }
    const { definition } = (await hostile.xapi().request('GET', 'activities', { query: { activityId: id } })).json
    expect(Object.keys(definition.name)).toEqual(['x-b', 'x-c'])
  })

  test('more than 10,000 agents and activities in one request: 400', async () => {
    const members = Array.from({ length: 11_000 }, (_, index) => ({ ...player('same'), name: `${index}` }))
    for (const over of [{ actor: { objectType: 'Group', member: members } }, { context: other(named(11_000)) }]) {
      const { status, json } = await hostile.xapi().post(statement(over))
      expect([status, json.message]).toEqual([
        400,
        expect.stringContaining('must name at most 10000 agents and activities'),
      ])
    }
  })

  test('one game that sends much waits for itself', bestOfThree, async () => {
    const heavy = () => hostile.xapi().post(statement({ context: other(named(5_000)) }))
    const { result, waited } = await besides(() => Promise.all(Array.from({ length: 20 }, heavy)))
    expect(new Set(result.map(({ status }) => status))).toEqual(new Set([200]))
    expect(waited).toBeLessThan(bearable)
  })
})

describe('what is read of many', () => {
  test('a Person has the first 100 names, none of more than 4 KB', async () => {
    const ann = player('of many names')
    await hostile.xapi().post(statement({ actor: { ...ann, name: 'x'.repeat(5_000) } }))
    const person = async () => (await neighbour.xapi().request('GET', 'agents', { query: { agent: ann } })).json
    expect((await person()).name).toEqual([])
    const member = Array.from({ length: 150 }, (_, index) => ({ ...ann, name: `name ${index}` }))
    for (const list of [member.slice(0, 60), member])
      await hostile.xapi().post(statement({ actor: { objectType: 'Group', member: list } }))
    expect((await person()).name).toHaveLength(99)
  })

  test('10,000 documents in a place, one more is 400; a known one can still be replaced and deleted', async () => {
    const xapi = hostile.xapi()
    const place = { activityId: 'https://games.example.org/activities/full' }
    const put = (profileId: string) =>
      xapi.request('PUT', 'activities/profile', { query: { ...place, profileId }, body: {} })
    expect((await put('first')).status).toBe(204)
    await system.database
      .sql(`insert into document (scope, registration, id_key, updated, id, content_type, etag, content)
      select d.scope, d.registration, gen_random_uuid(), d.updated + n, 'id ' || n, d.content_type, d.etag, d.content
      from document d, generate_series(1, 9999) n where d.id = 'first'`)
    expect([(await put('one more')).status, (await put('first')).status]).toEqual([400, 204])
    const { status, json } = await xapi.request('GET', 'activities/profile', { query: place })
    expect([status, json.length]).toEqual([200, 10_000])
    await xapi.request('DELETE', 'activities/profile', { query: { ...place, profileId: 'first' } })
    expect((await put('one more')).status).toBe(204)
  })
})

test('a lock that another session holds: 503 within 2 s, and afterwards requests succeed', bestOfThree, async () => {
  const [{ pid }] = (await system.database.sql<{ pid: number }>(
    'select pg_backend_pid() as pid, pg_advisory_lock(2026, 1)',
  )) as [{ pid: number }]
  const began = performance.now()
  expect((await neighbour.xapi().post(statement())).status).toBe(503)
  // 2 s, and what a busy machine adds
  expect(performance.now() - began).toBeLessThan(5_000)
  expect((await neighbour.xapi().get({ limit: 1 })).status).toBe(200)
  await system.database
    .sql('select pg_terminate_backend($1::int) where $1::int <> pg_backend_pid()', [pid])
    .catch(() => undefined)
  await system.database.sql('select pg_advisory_unlock_all()').catch(() => undefined)
  await expect.poll(async () => (await neighbour.xapi().post(statement())).status).toBe(200)
})

describe('who has shown no credential', () => {
  const streams = [
    ['/lrs.v1.StatementService/StoreStatements', 'application/proto', 'port', Buffer.alloc(3_900_000)],
    [
      '/lrs.v1.StatementService/StoreStatements',
      'application/grpc',
      'port',
      Buffer.concat([Buffer.from([0, 0, 0x3f, 0xff, 0xff]), Buffer.alloc(3_900_000)]),
    ],
    [
      '/grpc.health.v1.Health/Check',
      'application/grpc',
      'relayPort',
      Buffer.concat([Buffer.from([0, 0, 0x3f, 0xff, 0xff]), Buffer.alloc(3_900_000)]),
    ],
    [
      '/lrs.v1.RelayService/Exchange',
      'application/grpc',
      'relayPort',
      Buffer.concat([Buffer.from([0, 0, 0x3f, 0xff, 0xff]), Buffer.alloc(3_900_000)]),
    ],
  ] as const

  for (const [n, [path, type, port, bytes]] of streams.entries())
    test(
      `cannot fill the memory by messages that do not end: ${path}, ${type}, ${port}`,
      // one of each port is enough for `npm test`
      { ...bestOfThree, tags: n % 2 === 0 ? [] : 'long' },
      async () => {
        const session = connect(`http://127.0.0.1:${system.cores[0]![port]}`).on('error', () => {})
        const before = process.memoryUsage().rss
        for (let count = 0; count < 64; count++) {
          const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers' })
          stream.on('error', () => {}).write(bytes)
        }
        let most = 0
        let sent = 0
        // until nothing more of it is taken for a while
        for (let still = 0; still < 15 && !session.destroyed; await new Promise((done) => setTimeout(done, 20))) {
          const { bytesWritten } = session.socket
          still = bytesWritten === sent ? still + 1 : 0
          sent = bytesWritten
          most = Math.max(most, process.memoryUsage().rss - before)
        }
        session.destroy()
        expect(most).toBeLessThan(100 * 1024 * 1024)
        expect((await neighbour.xapi().post(statement())).status).toBe(200)
      },
    )
})

describe('attachments', () => {
  const part = '--b\r\nContent-Type: application/json\r\n\r\n'
  const plain = () =>
    neighbour.xapi().request('POST', 'statements', {
      headers: { 'content-type': 'multipart/mixed; boundary=b' },
      body: `${part}${JSON.stringify(statement())}\r\n--b--\r\n`,
    })
  const drip = (authorization: string, body: string) => {
    const socket = connectSocket(Number(new URL(system.urls[0]!).port), '127.0.0.1').on('error', () => {})
    socket.write(
      `POST /xapi/statements HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nX-Experience-API-Version: 1.0.3\r\n`,
    )
    socket.write(`Content-Type: multipart/mixed; boundary=b\r\nContent-Length: 100000\r\n\r\n${body}`)
    return socket
  }

  test('that strangers, or one game, never finish do not keep others from sending theirs', async () => {
    const declared = statement({
      attachments: [
        {
          usageType: 'x:y',
          display: {},
          contentType: 'text/plain',
          length: 5,
          sha2: 'a'.repeat(64),
        },
      ],
    })
    const begun = `${part}${JSON.stringify(declared)}\r\n--b\r\nContent-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${'a'.repeat(64)}\r\n\r\nx`
    const sockets = Array.from({ length: 40 }, () => [
      drip('Basic eDp5', `${part}{`),
      drip(hostile.authorization, begun),
    ]).flat()
    await new Promise((done) => setTimeout(done, 500))
    expect((await plain()).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })
})

test('attachments that many games read without end do not keep others from reading theirs', bestOfThree, async () => {
  const { server } = system.gateways[0]!
  expect(server.timeout).toBe(30_000)
  // so long a silence would make the test as long
  server.setTimeout(3_000)
  onTestFinished(() => void server.setTimeout(30_000))
  const bytes = randomBytes(8 * 1024 * 1024)
  const games = await Promise.all(Array.from({ length: 4 }, () => system.game()))
  const ids = await Promise.all(
    [...games, neighbour].map(async (game) => {
      const one = statement({ attachments: [attachment(bytes)] })
      await game.rpc().attachments.storeWithAttachments(upload(one, [{ sha2: sha256(bytes), content: bytes }]))
      return one.id
    }),
  )
  const target = (n: number) => `/xapi/statements?statementId=${ids[n]}&attachments=true`
  const sockets = games.flatMap((game, n) =>
    Array.from({ length: 9 }, () => {
      const socket = connectSocket(Number(new URL(system.urls[0]!).port), '127.0.0.1').on('error', () => {})
      socket.write(
        `GET ${target(n)} HTTP/1.1\r\nHost: x\r\nAuthorization: ${game.authorization}\r\nX-Experience-API-Version: 1.0.3\r\n\r\n`,
      )
      return socket
    }),
  )
  // each has its beginning, or was refused
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((done) => {
          socket.once('close', done).once('data', () => {
            socket.pause()
            done()
          })
        }),
    ),
  )
  const whole = () =>
    neighbour
      .xapi()
      .request('GET', target(4))
      .then(
        (reply) => reply.bytes.length,
        () => 0,
      )
  await expect.poll(whole, { timeout: 50_000 }).toBeGreaterThan(bytes.length)
  expect((await neighbour.xapi().post(statement())).status).toBe(200)
  for (const socket of sockets) socket.destroy()
})

test('a game that reads much at a time leaves connections to the others', bestOfThree, async () => {
  const xapi = hostile.xapi()
  for (let count = 0; count < 3; count++) await xapi.post(statement({ result: { response: 'x'.repeat(1_900_000) } }))
  const { waited } = await besides(() => Promise.all(Array.from({ length: 50 }, () => xapi.get({ limit: 500 }))))
  expect(waited).toBeLessThan(bearable)
})

test('a connection that was answered for being no HTTP ends, also when the client goes on sending', async () => {
  const socket = connectSocket({ port: Number(new URL(system.urls[0]!).port), host: '127.0.0.1', allowHalfOpen: true })
  let said = ''
  socket
    .on('data', (chunk) => (said += chunk))
    .on('error', () => {})
    .write('no HTTP\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 100)
  await new Promise((done) => socket.once('close', done))
  clearInterval(drip)
  expect(said).toMatch(/^HTTP\/1\.1 400 /)
})

test('a database that only reads: writes are 503, reads go on', async () => {
  const [{ name }] = (await system.database.sql<{ name: string }>('select current_database() as name')) as [
    { name: string },
  ]
  const others =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()'
  await system.database.sql(`alter database ${name} set default_transaction_read_only = on`)
  await system.database.sql(others)
  await expect.poll(async () => (await neighbour.xapi().get({ limit: 1 })).status).toBe(200)
  expect((await neighbour.xapi().post(statement())).status).toBe(503)
  await system.database.sql(`set default_transaction_read_only = off`)
  await system.database.sql(`alter database ${name} set default_transaction_read_only = off`)
  await system.database.sql(others)
  await expect.poll(async () => (await neighbour.xapi().post(statement())).status).toBe(200)
})
