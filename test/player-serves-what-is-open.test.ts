import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import { createPlayer, type RunningPlayer } from '../player/app.ts'
import { coreClient } from '../player/core-client.ts'
import { startLaunches, type Launches } from './support/launches.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let launches: Launches
let player: RunningPlayer
let lookUps = 0
let away = false
let client: ReturnType<typeof coreClient>
beforeAll(async () => {
  launches = await startLaunches({ rateLimitFactor: 0 })
  const [core] = launches.system.cores
  const config = {
    host: '127.0.0.1',
    port: 0,
    coreUrl: `http://127.0.0.1:${core!.port}`,
    serviceToken: tokens.player,
    storage: core!.config.storage,
    gamesUrl: undefined,
    xapiUrl: undefined,
    gatewayPort: 1,
    trustProxy: 0,
    edgeSeconds: 600,
    edgePurgeUrl: undefined,
    edgePurgeToken: undefined,
    logLevel: 'error',
    logFormat: 'json',
  } as const
  client = coreClient(config, pino({ level: 'silent' }))
  player = await createPlayer(config, {
    core: {
      ...client,
      async checkFiles(...asked) {
        lookUps++
        if (away) throw new Error('core is away')
        return client.checkFiles(...asked)
      },
    },
  })
})
afterAll(async () => {
  await player.close()
  await launches.system.close()
})

const large = Buffer.alloc(100 * 1024, 'x')
const status = async (path: string, init: RequestInit = {}) =>
  (await fetch(`http://127.0.0.1:${player.port}${path}`, { redirect: 'manual', ...init })).status
const page = (buildId: string, files = '') => `${files}/b/${buildId}/index.html`
const asset = (buildId: string, files = '') => `${files}/b/${buildId}/data.bin`
const packaged = (buildId: string, files = '') => `${files}/d/${buildId}/quiz.AppImage`
/** Waits until it is so, for as long as the docs promise. */
const within5s = async (path: string, expected: number) => {
  const began = Date.now()
  while ((await status(path)) !== expected) {
    if (Date.now() - began > 5_000) throw new Error(`${path} does not answer ${expected} within 5 s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function withFiles(buildId: string): Promise<string> {
  const { storage } = launches.system.cores[0]!
  const html = Buffer.from('<!doctype html>')
  await storage.write(`builds/${buildId}/index.html`, html, html.length)
  await storage.write(`builds/${buildId}/data.bin`, large, large.length)
  await storage.write(`packages/${buildId}/quiz.AppImage`, html, html.length)
  return buildId
}
async function published(studio: Studio) {
  const game = await launches.publish(studio)
  await withFiles(game.buildId)
  return game
}
const studioOf = (name: string) => addStudio(launches.system, name)
const suspend = (studio: Studio, suspended: boolean) =>
  launches.system.admin.operator.suspendStudio({ studio: studio.slug, suspended, note: 'Fraud' })

test('what is no UUID is open to nobody', async () =>
  expect(await client.checkFiles(['quiz.zip'], ['quiz.zip'])).toMatchObject({ openBuilds: [], openSigned: [] }))

describe('a draft', () => {
  test('is for sessions of its studio: neither its page nor its setup.exe is at the public address', async () => {
    const studio = await studioOf('Draft')
    const { gameId } = await studio.on().games.createGame({ name: 'Bank' })
    const buildId = await withFiles(await stageBuild(launches.system, gameId))
    const launch = (await studio.on().launches.openSandbox({ gameId })).launch!
    expect([await status(page(buildId)), await status(asset(buildId))]).toEqual([404, 404])
    expect([await status(page(buildId, launch.files)), await status(asset(buildId, launch.files))]).toEqual([200, 200])
    // the path is of this build and this session, and nobody else can make one
    const other = await withFiles(crypto.randomUUID())
    expect(await status(page(other, launch.files))).toBe(404)
    expect(
      await status(
        page(
          buildId,
          launch.files.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        ),
      ),
    ).toBe(404)
    expect(await status(page(buildId, launch.files.replace(/\.(\d+)\./, '.9$1.')))).toBe(404)
    // no cache that many share keeps it
    const heard = await fetch(`http://127.0.0.1:${player.port}${asset(buildId, launch.files)}`)
    expect(heard.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    // the next build replaces it
    const desktop = await withFiles(await stageBuild(launches.system, gameId, 'desktop'))
    expect(await status(packaged(desktop))).toBe(404)
    const { path } = await studio.on().launches.getDownload({ buildId: desktop })
    expect([await status(path), path.endsWith(packaged(desktop))]).toEqual([200, true])
    await expect((await studioOf('Stranger')).on().launches.getDownload({ buildId: desktop })).rejects.toThrow()
    await suspend(studio, true)
    await within5s(path, 404)
    await within5s(page(buildId, launch.files), 404)
  })

  test('ends with its session, also one by a link to the beta', async () => {
    const studio = await studioOf('Ends')
    const { id: gameId, buildId } = await published(studio)
    const core = launches.system.connections[0]!.as(bearer(tokens.portal))
    await launches.system.database.sql(`update game set beta_build = live_build where uuid = $1`, [gameId])
    const { code } = await studio.on().builds.setBetaLink({ gameId, on: true })
    const { launch } = await core.launches.startBeta({ code, learnerName: 'Ann', senderIp: '10.9.0.1' })
    expect(await status(page(buildId, launch!.files))).toBe(200)
    await studio.on().builds.setBetaLink({ gameId, on: false })
    await within5s(page(buildId, launch!.files), 404)
  })
})

describe('a public game', () => {
  test('has one address that caches; sessions are sent there for large files', async () => {
    const { buildId, slug } = await published(await studioOf('Public'))
    const { launch } = await launches.play({ slug, learnerName: 'Ann' })
    const heard = await fetch(`http://127.0.0.1:${player.port}${asset(buildId)}`)
    expect([heard.status, heard.headers.get('cache-control'), heard.headers.get('cache-tag')]).toEqual([
      200,
      'public, max-age=31536000, s-maxage=600, immutable',
      `build-${buildId}`,
    ])
    expect(await status(page(buildId, launch!.files))).toBe(200)
    await expect.poll(() => status(asset(buildId, launch!.files))).toBe(307)
    const moved = await fetch(`http://127.0.0.1:${player.port}${asset(buildId, launch!.files)}`)
    expect([new URL(moved.url).pathname, (await moved.arrayBuffer()).byteLength]).toEqual([
      asset(buildId),
      large.length,
    ])
  })

  test('costs core a look-up in a second while it is hot, not one for each file', async () => {
    const { buildId, slug } = await published(await studioOf('Hot'))
    const { launch } = await launches.play({ slug, learnerName: 'Ann' })
    await status(page(buildId))
    const [before, began] = [lookUps, Date.now()]
    for (let n = 0; n < 50; n++)
      await Promise.all([
        ...Array.from({ length: 10 }, () => status(asset(buildId))),
        ...Array.from({ length: 10 }, () => status(page(buildId, launch!.files))),
      ])
    // builds and sessions may need one each
    expect(lookUps - before).toBeLessThanOrEqual(2 * (Math.ceil((Date.now() - began) / 1000) + 1))
  })

  test('is closed within 5 s of a withdrawal; sessions that run go on', async () => {
    const studio = await studioOf('Withdrawn')
    const { id, buildId, slug } = await published(studio)
    const { launch } = await launches.play({ slug, learnerName: 'Ann' })
    expect([await status(page(buildId)), await status(page(buildId, launch!.files))]).toEqual([200, 200])
    await studio.on().games.withdraw({ gameId: id })
    const running = async () => [await status(page(buildId, launch!.files)), await follow(launch!)]
    const seen: unknown[] = []
    const began = Date.now()
    while ((await status(page(buildId))) === 200) {
      seen.push(...(await running()))
      expect(Date.now() - began).toBeLessThan(5_000)
    }
    seen.push(...(await running()))
    expect(new Set(seen)).toEqual(new Set([200]))
    expect(await status(asset(buildId))).toBe(404)
    const core = launches.system.connections[0]!.as(bearer(tokens.portal))
    await core.launches.endLaunch({ sessionSecret: launch!.sessionSecret })
    await within5s(page(buildId, launch!.files), 404)
  })

  test('is replaced: its address closes, its sessions go on, a rollback opens it again', async () => {
    const studio = await studioOf('Replaced')
    const { id: gameId, buildId, slug } = await published(studio)
    const { launch } = await launches.play({ slug, learnerName: 'Ann' })
    expect(await status(page(buildId))).toBe(200)
    const second = await withFiles(await stageBuild(launches.system, gameId))
    expect(await status(page(second))).toBe(404)
    await studio.on().games.submitForReview({ gameId })
    await launches.system.admin.games.decideReview({ gameId, buildId: second, approved: true })
    await within5s(page(second), 200)
    await within5s(page(buildId), 404)
    expect([await status(page(buildId, launch!.files)), await follow(launch!)]).toEqual([200, 200])
    await studio.on().builds.rollBack({ gameId, fromBuildId: second })
    await within5s(page(buildId), 200)
    await within5s(page(second), 404)
  })

  test('is closed within 5 s of a suspension, for sessions too; lifted, it is open again', async () => {
    const studio = await studioOf('Suspended')
    const { buildId, slug } = await published(studio)
    const { launch } = await launches.play({ slug, learnerName: 'Ann' })
    expect([await status(page(buildId)), await status(page(buildId, launch!.files))]).toEqual([200, 200])
    await suspend(studio, true)
    await within5s(page(buildId), 404)
    await within5s(page(buildId, launch!.files), 404)
    // without core, what was closed stays closed, and what was open stays open for a while
    const other = await published(await studioOf('Goes on'))
    expect(await status(page(other.buildId))).toBe(200)
    away = true
    try {
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      expect([await status(page(buildId)), await status(page(buildId, launch!.files))]).toEqual([404, 404])
      expect(await status(page(other.buildId))).toBe(200)
      expect(await status(page(crypto.randomUUID()))).toBe(503)
    } finally {
      away = false
    }
    await suspend(studio, false)
    await within5s(page(buildId), 200)
    await within5s(page(buildId, launch!.files), 200)
  })
})

/** As a browser does: follows to the public address. */
const follow = async ({ buildId, files }: Launch): Promise<number> =>
  (await fetch(`http://127.0.0.1:${player.port}${asset(buildId, files)}`)).status
