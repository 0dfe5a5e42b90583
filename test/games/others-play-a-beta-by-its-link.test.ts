import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashSecret } from '../../core/process/secret.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { furtherLimits } from '../../shared/limits.ts'
import { failureOf, reasonOf } from '../support/failures.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { statement } from '../support/statements.ts'
import { stageBuild } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let { system, fox, owl, publish, xapi } = {} as Launches
let game: Launches['game']
let ips = 0
beforeAll(async () => {
  ;({ system, fox, owl, publish, xapi } = await startLaunches())
})
afterAll(() => system.close())
beforeEach(async () => {
  game = await publish(fox)
})

const anybody = () => system.connections[ips % 2]!.as(bearer(tokens.portal)).launches
/** As an upload to the channel does, without files. */
async function beta(gameId = game.id): Promise<string> {
  const { store } = system.cores[0]!
  const buildId = randomUUID()
  await store.transaction(async (run) => {
    const row = (await store.games.lock(run, gameId, null))!
    const facts = { fileName: 'quiz.zip', size: 1_000, files: 3, expanded: 2_500 } as const
    await store.builds.setBeta(run, { buildId, game: row.id, kind: 'browser', ...facts }, row.beta)
  })
  return buildId
}
const link = async (gameId = game.id) => (await fox.on().builds.setBetaLink({ gameId, on: true })).code
const start = async (code: string, learnerName = 'Eve') =>
  (await anybody().startBeta({ code, learnerName, senderIp: `10.7.0.${++ips}` })).launch!
const conflict = (message: RegExp) => ({ reason: Reason.CONFLICT, message: expect.stringMatching(message) })
const isOver = async (code: string) => {
  expect(await reasonOf(anybody().getBeta({ code }))).toBe('NOT_FOUND')
  expect(await reasonOf(start(code))).toBe('NOT_FOUND')
}
const stored = (tenant: string) =>
  system.database.sql<{ n: number }>(
    `select count(*)::int as n from statement s join game g on g.id = s.game
      where ${tenant} = (select id from game where uuid = $1)`,
    [game.id],
  )

describe('a link to the beta', () => {
  test('lets anybody play the beta as a new test learner, whose statements stay in the sandbox', async () => {
    const buildId = await beta()
    const code = await link()
    expect(code).toMatch(/^[\w-]{43}$/)
    const found = await anybody().getBeta({ code })
    expect(found).toMatchObject({ game: { gameId: game.id, name: 'Quiz' }, build: { buildId } })
    const launch = await start(code, ' Eve  L. ')
    expect(launch).toMatchObject({ buildId, sandbox: true, learnerName: 'Eve L.', gameId: game.id })
    expect(Number(launch.expires) * 1000 - Date.now()).toBeLessThanOrEqual(2 * 3_600_000)
    expect((await xapi(launch).post(statement())).status).toBe(200)
    expect([await stored('g.sandbox_of'), await stored('g.id')]).toEqual([[{ n: 1 }], [{ n: 0 }]])
    // nobody goes on as another one, and the studio's own test learners stay apart
    expect((await start(code, 'Eve L.')).actor).not.toBe(launch.actor)
    expect((await fox.on().launches.listTestLearners({ gameId: game.id })).learners).toEqual([])
    expect((await fox.on().games.getGame({ gameId: game.id })).game!.betaLinked).toBeGreaterThan(0n)
  })

  test('is kept as a hash only', async () => {
    const code = await link()
    const [row] = await system.database.sql<{ text: string }>(
      `select g::text || encode(beta_link, 'escape') as text from game g where uuid = $1`,
      [game.id],
    )
    expect(row!.text).not.toContain(code)
    expect(row!.text).toContain(game.id)
  })

  test('needs a first approval, and a game that is public', async () => {
    const { gameId } = await fox.on().games.createGame({ name: 'Draft' })
    await stageBuild(system, gameId)
    await beta(gameId)
    expect(await failureOf(link(gameId))).toMatchObject(conflict(/needs a first approval/))
    await beta()
    const code = await link()
    await fox.on().games.withdraw({ gameId: game.id })
    expect(await failureOf(link())).toMatchObject(conflict(/is not public now/))
    await isOver(code)
    // ending one is never refused
    expect(await fox.on().builds.setBetaLink({ gameId, on: false })).toMatchObject({ code: '' })
  })

  test('is refused at once when another one is made, and when it is ended; its sessions end too', async () => {
    await beta()
    const first = await link()
    const old = await start(first)
    expect((await xapi(old).post(statement())).status).toBe(200)
    const second = await link()
    await isOver(first)
    expect(await reasonOf(anybody().getLaunch({ sessionSecret: old.sessionSecret }))).toBe('NOT_FOUND')
    expect((await xapi(old, 1).post(statement())).status).toBe(401)
    const launch = await start(second)
    await fox.on(1).builds.setBetaLink({ gameId: game.id, on: false })
    await isOver(second)
    expect((await xapi(launch).post(statement())).status).toBe(401)
    expect((await fox.on().games.getGame({ gameId: game.id })).game!.betaLinked).toBe(0n)
  })

  test('of a game leaves the sessions of its members and of other games alone', async () => {
    const other = await publish(fox)
    await Promise.all([beta(), beta(other.id)])
    const code = await link()
    const elsewhere = await start(await link(other.id))
    const { launch } = await fox.on().launches.openSandbox({ gameId: game.id, beta: true })
    await start(code)
    await link()
    expect((await xapi(launch!).post(statement())).status).toBe(200)
    expect((await xapi(elsewhere).post(statement())).status).toBe(200)
  })

  test('stays when the beta is submitted or replaced: it says that there is none, then plays the next one', async () => {
    const code = await link()
    expect((await anybody().getBeta({ code })).build).toBeUndefined()
    expect(await failureOf(start(code))).toMatchObject({ message: expect.stringMatching(/no test version now/) })
    const buildId = await beta()
    expect((await start(code)).buildId).toBe(buildId)
    await fox.on().builds.promote({ gameId: game.id, buildId })
    expect((await anybody().getBeta({ code })).build).toBeUndefined()
    const next = await beta()
    expect((await start(code)).buildId).toBe(next)
  })

  test('starts a hundred sessions a day; who is refused for another reason has used none', async () => {
    const code = await link()
    expect(await reasonOf(start(code))).toBe('NOT_FOUND')
    await beta()
    expect(await reasonOf(start(code, ' '))).toBe('INVALID')
    await start(code)
    const counted = await system.database.sql(
      `update portal_window set count = $1 where bucket = 'betaLink' and owner = $2 and count = 1 returning count`,
      [furtherLimits.betaLink.limit - 1, hashSecret(code).toString('hex')],
    )
    expect(counted).toHaveLength(1)
    await start(code)
    expect(await failureOf(start(code))).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringMatching(/Play a beta by its link: at most 100 per UTC day/),
    })
  })

  test('is of a studio that is not suspended', async () => {
    await beta()
    const code = await link()
    const launch = await start(code)
    await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: true, note: 'Look at the logo.' })
    await isOver(code)
    expect((await xapi(launch).post(statement())).status).toBe(401)
    expect(await reasonOf(link())).toBe('FORBIDDEN')
    await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: false })
    expect((await start(code)).gameId).toBe(game.id)
  })

  test('is made by developers of its studio only, or with the scope games', async () => {
    await beta()
    const code = await link()
    expect(await reasonOf(owl.on().builds.setBetaLink({ gameId: game.id, on: false }))).toBe('NOT_FOUND')
    expect(await reasonOf(owl.on().builds.setBetaLink({ gameId: game.id, on: true }))).toBe('NOT_FOUND')
    const as = async (scope: string) =>
      system.connections[0]!.as(
        bearer((await fox.on().tokens.createToken({ name: scope, scopes: [scope], days: 0 })).token),
      )
    const asked = { gameId: game.id, on: true }
    expect(await failureOf((await as('upload')).builds.setBetaLink(asked))).toMatchObject({
      message: expect.stringMatching(/lacks the scope games/),
    })
    expect((await start(code)).gameId).toBe(game.id)
    const renewed = (await (await as('games')).builds.setBetaLink(asked)).code
    expect((await start(renewed)).gameId).toBe(game.id)
    for (const wrong of ['', 'x'.repeat(43), game.id]) await isOver(wrong)
  })

  test('leaves no name in the list of learners when its sessions are swept', async () => {
    await beta()
    const { sessionId } = await start(await link(), 'Forgotten')
    const there = () => system.database.sql(`select 1 from learner where name = 'Forgotten'`)
    expect(await there()).toHaveLength(1)
    await system.database.sql(`update launch set expires = now() - interval '40 days' where uuid = $1`, [sessionId])
    expect(await system.cores[0]!.store.launches.sweep(86_400, 100)).toBe(1)
    expect(await there()).toEqual([])
  })
})
