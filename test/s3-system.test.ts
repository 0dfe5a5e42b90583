import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UploadKind } from '../gen/lrs/v1/uploads_pb.js'
import { endAll } from '../start/fixtures/launch.ts'
import { openStorage } from '../storage/open.ts'
import { startSwift } from './support/swift.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { rawZip } from './support/zip.ts'

const swift = await startSwift()
if (!swift)
  process.stderr.write(
    '\n*** Games on S3 were NOT tested: install swift-proxy, swift-account, swift-container and swift-object. ***\n\n',
  )

describe.skipIf(!swift)('games on S3 (OpenStack Swift)', () => {
  let system: PortalSystem
  let studio: Studio
  beforeAll(async () => {
    system = await startPortalSystem({ storage: swift })
    studio = await system.studio('Blue Fox')
  })
  afterAll(async () => {
    await system.close()
    endAll()
  })
  async function keys(...prefixes: string[]): Promise<string[]> {
    const found: string[] = []
    for (const prefix of prefixes) for await (const key of openStorage(swift!).list(prefix)) found.push(key)
    return found
  }

  test('a build is uploaded straight to the store, checked, published and served, with ranges', async () => {
    const { gameId } = await system.publish(studio, 'Star Trail')
    const { live } = (await studio.on().games.getGame({ gameId })).game!
    expect(await keys('uploads/')).toEqual([])
    const at = `${system.gamesUrl}/b/${live!.buildId}`
    expect(await (await fetch(`${at}/index.html`)).text()).toContain('<!doctype html>')
    const part = await fetch(`${at}/quiz.js`, { headers: { range: 'bytes=0-9' } })
    expect([part.status, (await part.text()).length]).toEqual([206, 10])
    expect((await fetch(`${at}/no-such-file.js`)).status).toBe(404)
  })

  test('a file of several parts goes in parts, and comes back as it was', async () => {
    const bytes = Buffer.concat([Buffer.from('\x7fELF'), randomBytes(9 * 1024 * 1024)])
    bytes.write('AI\x02', 8, 'latin1')
    const { gameId } = await studio.on().games.createGame({ name: 'Desktop' })
    const buildId = await system.upload(studio, UploadKind.DESKTOP_BUILD, 'game.AppImage', bytes, gameId)
    // a draft: for the studio only
    const { path } = await studio.on().launches.getDownload({ buildId })
    const served = Buffer.from(await (await fetch(system.gamesUrl + path)).arrayBuffer())
    expect(served.equals(bytes)).toBe(true)
  })

  test('a hostile zip leaves nothing in the store', async () => {
    const { gameId } = await studio.on().games.createGame({ name: 'Hostile' })
    const before = await keys('uploads/', 'builds/')
    const zip = rawZip([{ name: 'index.html' }, { name: '../escape.html' }])
    await expect(system.upload(studio, UploadKind.BROWSER_BUILD, 'quiz.zip', zip, gameId)).rejects.toThrow(
      'escape.html',
    )
    await expect.poll(() => keys('uploads/', 'builds/')).toEqual(before)
  })
})
