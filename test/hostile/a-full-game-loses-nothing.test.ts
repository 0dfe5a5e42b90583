import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type LrsError } from '../../clients/javascript/dist/games-lrs.js'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import type { Game } from '../support/games.ts'
import { statement } from '../support/statements.ts'
import { addStudio } from '../support/studios.ts'
import { startSystem, type System } from '../support/system.ts'
import { basic, xapiClient } from '../support/xapi.ts'

let system: System
let game: Game
let other: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
  ;[game, other] = await Promise.all([system.game(), system.game()])
})
afterAll(() => system.close())

const limit = async (limit: bigint | undefined, gameId = game.id) => {
  await system.admin.quotas.setGameQuota({ gameId, limit })
  for (const { room } of system.cores) await room.count()
}
const verbs = { id: 'https://games.example.org/verbs/played' }
const full = { error: 'Storage quota of the game exceeded' }

test('a game over its quota gets 507, its clients keep their queues, and all arrives once there is room', async () => {
  await limit(60_000n)
  const errors: LrsError[] = []
  const ids: (string | undefined)[] = []
  const clients = await Promise.all(
    [1, 2, 3].map(async (n) => {
      const actor = { account: { homePage: 'https://games.example.org', name: randomUUID() } }
      const launch = {
        endpoint: `${system.urls[0]!}/xapi`,
        auth: await game.launch(actor),
        actor,
        activityId: `https://games.example.org/${n}`,
      }
      return connect({ launch, flushAfter: 20, onError: (error) => errors.push(error) })
    }),
  )
  for (let n = 0; n < 30; n++) {
    for (const client of clients)
      ids.push(
        await client.send({
          verb: verbs,
          object: { id: client.launch!.activityId! },
          result: { response: 'x'.repeat(2_000) },
        }),
      )
    await Promise.all(clients.map((client) => client.flush()))
  }
  const stored = async () => new Set((await game.xapi().all({ limit: 500 })).map(({ id }) => id))
  const before = await stored()
  expect(before.size).toBeGreaterThan(10)
  expect(before.size).toBeLessThan(ids.length)

  // every request that stores is refused in the same way, for any sender; others go on
  const query = { activityId: 'https://games.example.org/a', agent: { mbox: 'mailto:a@example.org' }, stateId: 's' }
  const content = randomBytes(50_000)
  const refused = await Promise.all([
    game.xapi().post(statement({ result: { response: 'x'.repeat(5_000) } })),
    game.xapi().request('PUT', 'activities/state', { query, body: { a: 'x'.repeat(5_000) } }),
    game.xapi().request('POST', 'statements', {
      body: multipart([jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)]),
      headers: { 'content-type': multipartType },
    }),
  ])
  for (const { status, json } of refused) expect([status, json]).toEqual([507, full])
  expect((await game.xapi().request('DELETE', 'activities/state', { query })).status).toBe(204)
  expect((await other.xapi().post(statement())).status).toBe(200)

  await limit(10_000_000n)
  await Promise.all(clients.map((client) => client.flush()))
  await expect.poll(async () => (await stored()).size).toBe(ids.length)
  const after = await stored()
  expect([errors, ids.filter((id) => !after.has(id))]).toEqual([[], []])
  await Promise.all(clients.map((client) => client.close()))
})

test('what games store is counted to the byte: statements, contents once, documents as they change; the studio sees it', async () => {
  const fox = await addStudio(system, 'Fox')
  const { gameId } = await fox.on().games.createGame({ name: 'Chess' })
  const { key, secret } = await system.admin.identity.issueCredential({ gameId, scopes: [] })
  const rpc = system.connections[1]!.as(basic(key, secret))
  const xapi = xapiClient(system.urls[0]!, basic(key, secret))
  await limit(1_000_000n, gameId)

  const content = randomBytes(20_000)
  const learner = { mbox: 'mailto:bob@example.org' }
  for (const actor of [learner, learner, { mbox: 'mailto:eve@example.org' }]) {
    const body = multipart([jsonPart(statement({ actor, attachments: [attachment(content)] })), contentPart(content)])
    expect(
      (await xapi.request('POST', 'statements', { body, headers: { 'content-type': multipartType } })).status,
    ).toBe(200)
  }
  const put = (size: number, id: string) =>
    rpc.documents.putDocument({
      scope: {
        kind: { case: 'state', value: { activityId: 'https://games.example.org/a', agent: JSON.stringify(learner) } },
      },
      id,
      content: randomBytes(size),
      contentType: 'application/octet-stream',
    })
  for (const [size, id] of [
    [5_000, 'one'],
    [300, 'one'],
    [700, 'two'],
    [900, 'three'],
  ] as const)
    await put(size, id)
  const profile = { kind: { case: 'activityProfile', value: { activityId: 'https://games.example.org/a' } } } as const
  await rpc.documents.putDocument({
    scope: profile,
    id: 'p',
    content: randomBytes(1_100),
    contentType: 'application/octet-stream',
  })
  await rpc.documents.deleteDocument({
    scope: {
      kind: { case: 'state', value: { activityId: 'https://games.example.org/a', agent: JSON.stringify(learner) } },
    },
    id: 'three',
  })

  const used = async () => {
    for (const { room } of system.cores) await room.count()
    return Number((await fox.on().quotas.getUsage({})).usage.find(({ anchor }) => anchor === 'gameBytes')!.used)
  }
  const bodies = async () => {
    const [{ bytes }] = (await system.database.sql<{ bytes: string }>(
      'select sum(octet_length(body)) as bytes from statement s join game g on g.id = s.game where g.uuid = $1',
      [gameId],
    )) as [{ bytes: string }]
    return Number(bytes)
  }
  expect(await used()).toBe((await bodies()) + 20_000 + 300 + 700 + 1_100)
  // more than are counted at once
  await system.database.sql(
    `insert into statement (stored, game, credential, id, actor, verb, voids, body)
    select 1000 + n, id, 0, gen_random_uuid(), uuid, uuid, false, '{}' from game, generate_series(1, 12000) n where uuid = $1`,
    [gameId],
  )
  await system.database.sql('update game_bytes set stored = 0, statements = 0')
  // twice at once on two cores counts nothing twice
  await Promise.all([...system.cores, ...system.cores].map(({ room }) => room.count()))
  expect(await used()).toBe((await bodies()) + 20_000 + 300 + 700 + 1_100)
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(learner) })
  expect(await used()).toBe((await bodies()) + 20_000 + 1_100)

  // its sandbox counts with it, and is refused with it
  const [sandbox] = await system.database.sql<{ game: number }>(
    `with s as (insert into game (name, sandbox_of) select 'Sandbox', id from game where uuid = $1 returning id)
    insert into game_bytes (game, documents) select id, 4000 from s returning game`,
    [gameId],
  )
  const all = await used()
  expect(all).toBe((await bodies()) + 20_000 + 1_100 + 4_000)
  await limit(BigInt(all) + 10n, gameId)
  const { room } = system.cores[0]!
  expect(() => room.take(sandbox!.game, 11)).toThrow('as many bytes as it may')
  expect(() => room.take(sandbox!.game, 10)).not.toThrow()
})
