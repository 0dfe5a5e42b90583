import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlayer, type RunningPlayer } from '../player/app.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { statement } from './support/statements.ts'
import { bearer, xapiClient } from './support/xapi.ts'

let system: System
let player: RunningPlayer
let studio: Studio
beforeAll(async () => {
  system = await startSystem()
  studio = await addStudio(system, 'Blue Fox')
  const [core] = system.cores
  player = await createPlayer({
    host: '127.0.0.1',
    port: 0,
    coreUrl: `http://127.0.0.1:${core!.port}`,
    serviceToken: tokens.player,
    storage: core!.config.storage,
    gamesUrl: undefined,
    xapiUrl: undefined,
    gatewayPort: Number(new URL(system.urls[0]!).port),
    trustProxy: 0,
    edgeSeconds: 600,
    edgePurgeUrl: undefined,
    edgePurgeToken: undefined,
    logLevel: 'error',
    logFormat: 'json',
  })
})
afterAll(async () => {
  await player.close()
  await system.close()
})

test('a session in the player: page, launch context, statements', async () => {
  const { gameId } = await studio.on().games.createGame({ name: 'Quiz' })
  const buildId = await stageBuild(system, gameId)
  const page = Buffer.from('<!doctype html><title>Quiz</title>')
  await system.cores[0]!.storage.write(`builds/${buildId}/index.html`, page, page.length)
  const launch = (await studio.on().launches.openSandbox({ gameId })).launch!
  const base = `http://127.0.0.1:${player.port}${launch.files}/b/${buildId}/`

  const shown = await fetch(`${base}index.html`)
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(page)
  expect((await fetch(`${base}index.html`, { headers: { 'if-none-match': shown.headers.get('etag')! } })).status).toBe(
    304,
  )
  expect(await (await fetch(`${base}index.html`, { headers: { range: 'bytes=2-8' } })).text()).toBe('doctype')

  const context = (await (
    await fetch(`${base}launch.json`, { headers: { authorization: bearer(launch.sessionSecret) } })
  ).json()) as Record<string, string>
  expect(context).toEqual({
    endpoint: `${system.urls[0]}/xapi/`,
    auth: expect.stringMatching(/^Bearer ey/),
    actor: JSON.parse(launch.actor),
    registration: launch.registration,
    activity_id: launch.activityId,
  })
  const game = xapiClient(system.urls[0]!, context['auth']!)
  const one = statement()
  expect((await game.post(one)).status).toBe(200)
  expect((await game.get({ statementId: one.id })).json.actor).toEqual(context['actor'])

  expect((await fetch(`${base}launch.json`, { headers: { authorization: bearer('x'.repeat(43)) } })).status).toBe(404)
  expect((await fetch(`${base}launch.json`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${player.port}/readyz`)).status).toBe(200)
})
