import { randomBytes } from 'node:crypto'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../start/fixtures/launch.ts'
import type { Game } from './support/games.ts'
import { MiB, mounted, reserve, startOnSmallDisk, type SmallDisk } from './support/small-disk.ts'
import { statement, statements } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'

let disk: SmallDisk
let game: Game
let studio: Studio

beforeAll(async () => {
  if (!mounted) return
  disk = await startOnSmallDisk()
  game = await disk.game()
  studio = await addStudio(disk, 'Full')
})
afterAll(() => disk?.close())

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error) => ConnectError.from(error).rawMessage,
  )

test.runIf(mounted)(
  'a full disk: writes are 503 and say so, every read goes on, Postgres never stops, and with room all is well by itself',
  async () => {
    const { gameId } = await studio.on().games.createGame({ name: 'Full' })
    const kept = statements(3)
    expect((await game.xapi().post(kept)).status).toBe(200)
    // sessions are to be renewed by whatever they read
    await disk.database.sql(`update studio_session set used = now() - interval '2 hours'`)

    // as much as it takes, by what is sent
    disk.fill(reserve + 40 * MiB)
    const acknowledged: unknown[] = [...kept]
    let last = { status: 200, text: '' }
    while (last.status === 200) {
      const batch = statements(20, { result: { response: randomBytes(60_000).toString('base64') } })
      last = await game.xapi().post(batch)
      if (last.status === 200) acknowledged.push(...batch)
    }
    expect([last.status, last.text]).toEqual([503, expect.stringContaining('disk is nearly full')])
    // something else takes the rest but for a little: nothing is written any more that could need it
    disk.fill(10 * MiB)

    expect((await game.xapi().get({ limit: 2 })).status).toBe(200)
    expect((await game.xapi().get({ statementId: kept[0]!.id })).status).toBe(200)
    const state = { activityId: 'https://games.example.org/a', agent: kept[0]!.actor, stateId: 's' }
    expect(
      (await game.xapi().request('GET', 'activities/state', { query: { ...state, stateId: undefined } })).status,
    ).toBe(200)
    const put = await game.xapi().request('PUT', 'activities/state', { query: state, body: {} })
    expect([put.status, put.json.message]).toEqual([503, expect.stringContaining('disk is nearly full')])
    const { accounts, games, uploads, quotas, insights } = studio.on()
    expect((await accounts.getAccount({})).email).toBe(studio.email)
    expect((await games.listGames({})).games).toHaveLength(1)
    await games.getGame({ gameId })
    expect((await quotas.getUsage({})).usage).toHaveLength(3)
    expect((await insights.getInsights({ gameId, from: '2026-11-20', to: '2026-11-21' })).days).toHaveLength(2)
    expect(await codeOf(games.createGame({ name: 'Another' }))).toContain('disk is nearly full')
    expect(await codeOf(uploads.requestUpload({ gameId, kind: 1, fileName: 'quiz.zip', size: 1000n }))).toContain(
      'disk is nearly full',
    )
    const signIn = () =>
      studio.on().accounts.signIn({ email: studio.email, password: 'whatever it is', senderIp: '192.0.2.1' })
    await eventually(
      async () => (await codeOf(signIn())).includes('disk is nearly full'),
      () => 'not even signing in',
    )

    // a core that starts now serves what there is
    await disk.crashCore(0)
    await eventually(
      async () => (await game.xapi().get({ limit: 1 })).status === 200,
      () => 'reads after a new start of core',
    )

    disk.clear()
    await eventually(
      async () => (await game.xapi().post(statement())).status === 200,
      () => 'writes again',
    )
    const [{ count }] = (await disk.database.sql<{ count: number }>(
      'select count(*)::int as count from statement where game = (select id from game where uuid = $1)',
      [game.id],
    )) as [{ count: number }]
    expect(count).toBe(acknowledged.length + 1)
    // of the core that was killed
    expect(disk.log().replaceAll('FATAL:  connection to client lost', '')).not.toMatch(/PANIC|FATAL/)
  },
)
