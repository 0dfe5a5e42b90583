import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endAll } from '../start/fixtures/launch.ts'
import type { Launch, SandboxEvent } from '../gen/lrs/v1/launches_pb.js'
import { command, done, failed, run } from './support/admin.ts'
import type { CoreClient } from './support/core-client.ts'
import { reasonOf } from './support/failures.ts'
import { payload } from './support/launches.ts'
import { statement } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer, xapiClient } from './support/xapi.ts'

let system: System
let fox: Studio
let gameId: string
let folder: string
let env: Record<string, string>
beforeAll(async () => {
  system = await startSystem({ gateways: 1, rateLimitFactor: 1 })
  fox = await addStudio(system, 'Blue Fox')
  ;({ gameId } = await fox.on().games.createGame({ name: 'Chess' }))
  folder = await mkdtemp(join(tmpdir(), 'lrs-own-machine-'))
  env = {
    LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`,
    LRS_SERVICE_TOKEN: tokens.admin,
    LRS_XAPI_URL: `${system.urls[0]}/xapi`,
  }
})
afterAll(async () => {
  endAll()
  await system.close()
  await rm(folder, { recursive: true, force: true })
})

const open = async (on: CoreClient, wanted: object = {}): Promise<Launch> =>
  (await on.launches.openSandbox({ gameId, ownMachine: true, ...wanted })).launch!
const holding = async (scopes: string[]): Promise<string> =>
  (await fox.on().tokens.createToken({ name: 'CI', scopes, days: 1 })).token
const xapi = ({ token }: Pick<Launch, 'token'>) => xapiClient(system.urls[0]!, bearer(token))
const fileOf = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, string>

async function eventsOf({ sessionId }: Launch): Promise<SandboxEvent[]> {
  const all: SandboxEvent[] = []
  for await (const { events } of fox.on().launches.observe({ sessionId, noFollow: true })) all.push(...events)
  return all
}

describe('a sandbox session for the own machine', () => {
  test('needs no build; what the game sends is stored in the sandbox, and refusals are shown with their place', async () => {
    expect(await reasonOf(fox.on().launches.openSandbox({ gameId }))).toBe('NOT_FOUND')
    const launch = await open(fox.on(), { learnerName: 'Ada' })
    expect(launch).toMatchObject({ buildId: '', gameId, learnerName: 'Ada', sandbox: true })
    expect(payload(launch.token)).toMatchObject({ registration: launch.registration })
    expect((await fox.on().games.getGame({ gameId })).game).toMatchObject({ reported: false })
    expect((await xapi(launch).post(statement())).status).toBe(200)
    expect((await xapi(launch).post({ ...statement(), verb: { id: 'no iri' } })).status).toBe(400)
    await expect
      .poll(async () => (await eventsOf(launch)).map(({ status, path }) => [status, path]))
      .toEqual([
        [200, ''],
        [400, 'verb.id'],
      ])
    await expect.poll(async () => (await fox.on().games.getGame({ gameId })).game!.reported).toBe(true)
    // the same session again, and its end
    expect((await fox.on().launches.getSandbox({ sessionId: launch.sessionId })).launch!.buildId).toBe('')
    await fox.on().launches.endLaunch({ sessionSecret: launch.sessionSecret })
    expect((await xapi(launch).post(statement())).status).toBe(401)
  })

  test('is for developers of its studio, for tokens with the scope sandbox, and for the operator', async () => {
    const owl = await addStudio(system, 'Owl')
    const call = (on: CoreClient) => reasonOf(open(on))
    const core = system.connections[0]!
    expect(await call(owl.on())).toBe('NOT_FOUND')
    expect(await call(core.as(bearer(await holding(['read', 'upload', 'games']))))).toBe('FORBIDDEN')
    const own = core.as(bearer(await holding(['sandbox'])))
    const launch = await open(own)
    expect(await reasonOf(own.games.listGames({}))).toBe('FORBIDDEN')
    expect((await own.launches.getSandbox({ sessionId: launch.sessionId })).launch!.gameId).toBe(gameId)
    const byOperator = await open(system.admin)
    expect(byOperator.buildId).toBe('')
    expect(await call(core.as(bearer(tokens.portal)))).toBe('UNAUTHENTICATED')
    // the tenant of the sandbox is no game that can be tried
    const [tenant] = await system.database.sql<{ uuid: string }>(
      'select t.uuid from game t join game g on g.id = t.sandbox_of where g.uuid = $1',
      [gameId],
    )
    expect(await reasonOf(open(system.admin, { gameId: tenant!.uuid }))).toBe('NOT_FOUND')
  })

  test('counts for the limit of ten a minute', async () => {
    const busy = await addStudio(system, 'Busy')
    const { gameId: other } = await busy.on().games.createGame({ name: 'Draft' })
    for (let n = 0; n < 10; n++) await open(busy.on(), { gameId: other })
    expect(await reasonOf(open(busy.on(), { gameId: other }))).toBe('RATE_LIMITED')
  })
})

describe('games-lrs sandbox', () => {
  test('writes the launch file, shows each call, and cleans up when it is interrupted', async () => {
    const cwd = await mkdtemp(join(folder, 'own-'))
    const path = join(cwd, 'launch.json')
    const running = command(['sandbox', 'chess', '--learner', 'Mara'], { env, cwd })
    await running.says('Each call of the game appears here.')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const { endpoint, auth, registration } = await fileOf(path)
    expect(endpoint).toBe(`${system.urls[0]}/xapi/`)
    const game = xapiClient(system.urls[0]!, auth!)
    await game.post({ ...statement(), context: { registration } })
    await running.says(/ 200 {2}POST \/xapi\/statements {2}stored 1 statement/)
    await game.post([statement(), { ...statement(), verb: { id: 'no iri' } }])
    await running.says(/REJECTED 400 {2}POST \/xapi\/statements {2}statements\[1\]\.verb\.id: must be/)
    running.process.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    expect(running.output()).not.toContain(auth!)
    await expect(stat(path)).rejects.toThrow('ENOENT')
    await vi.waitFor(async () => expect((await game.post(statement())).status).toBe(401))
    // the same learner plays on
    const again = await run(['sandbox', 'chess', '--learner', 'Mara', '--show', 'env'], { env, cwd })
    expect(again.out).toMatch(/^export XAPI_ENDPOINT='http.*\/xapi\/'$/m)
    const { learners } = await fox.on().launches.listTestLearners({ gameId })
    expect(learners.filter(({ name }) => name === 'Mara')).toHaveLength(1)
  })

  test('starts a command with the launch context, and ends with it', async () => {
    const cwd = await mkdtemp(join(folder, 'own-'))
    const script = `
      const { XAPI_ENDPOINT, XAPI_AUTH, XAPI_LAUNCH_FILE } = process.env
      const { auth } = JSON.parse(require('fs').readFileSync(XAPI_LAUNCH_FILE, 'utf8'))
      if (auth !== XAPI_AUTH) process.exit(9)
      fetch(XAPI_ENDPOINT + 'activities/state?activityId=' + encodeURIComponent(process.env.XAPI_ACTIVITY_ID) +
        '&stateId=save&agent=' + encodeURIComponent(process.env.XAPI_ACTOR), {
        method: 'PUT', body: '{}',
        headers: { authorization: XAPI_AUTH, 'content-type': 'application/json', 'x-experience-api-version': '1.0.3' },
      }).then(({ status }) => process.exit(status === 204 ? Number(process.argv[1]) : 8))`
    const started = (code: string) =>
      command(['sandbox', gameId, '--', process.execPath, '-e', script, code], { env, cwd }).ended
    expect(await started('0')).toMatchObject({ code: 0 })
    expect(await started('3')).toMatchObject({ code: 1, error: expect.stringContaining('ended with code 3.') })
    await expect(stat(join(cwd, 'launch.json'))).rejects.toThrow('ENOENT')
  })

  test('leaves a file alone that is none of its own, and says what it lacks', async () => {
    const cwd = await mkdtemp(join(folder, 'own-'))
    await writeFile(join(cwd, 'launch.json'), '{"name":"mine"}')
    expect(await run(['sandbox', 'chess'], { env, cwd })).toEqual(failed(/launch\.json is there and is no launch file/))
    expect(await readFile(join(cwd, 'launch.json'), 'utf8')).toBe('{"name":"mine"}')
    const { LRS_XAPI_URL: _, ...rest } = env
    const far = { ...rest, LRS_CORE_URL: 'https://core.example.org' }
    expect(await run(['sandbox', 'chess'], { env: far, cwd })).toEqual(failed(/^The address of xAPI is not known/, 2))
    expect(await run(['sandbox', 'draughts', '--show', 'query'], { env, cwd })).toEqual(failed(/no game "draughts"/))
    const query = await run(['sandbox', 'chess', '--show', 'query'], { env, cwd })
    expect(query).toEqual(done(expect.stringMatching(/^\?endpoint=http.*&activity_id=/)))
  })
})
