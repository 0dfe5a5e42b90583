import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { samples } from '../../portal/pages/games/code/client-code.ts'
import { launchedClients, type LaunchedClient } from '../cases/clients.ts'
import { startBrowser } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { rawZip } from '../support/zip.ts'

// What the portal shows for games that it launches, each in a build of its own, played by a learner as any other game.

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, '..', '..', path), 'utf8')
const [, table = ''] = /<!-- clients: begin -->\n(.*)<!-- clients: end -->/s.exec(read('docs/conformance.md')) ?? []

function buildOf({ name, file, tag, sample }: LaunchedClient): Buffer {
  const page = `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">
    <script type="importmap">{ "imports": { "@xapi/xapi": "./client.js", "./games-lrs.js": "./client.js" } }</script>
    ${tag ? '<script src="client.js"></script>' : ''}<script type="module">${sample}</script>`
  return rawZip([
    { name: 'index.html', content: page },
    { name: 'client.js', content: file === undefined ? '' : read(file) },
  ])
}

test('every client beside the credential has a sample for games that are launched', () => {
  const beside = samples({ endpoint: 'http://x/', key: '', secret: '', activity: '' }).map(
    ({ name }) => name.split(',')[0],
  )
  expect(launchedClients.map(({ name }) => name)).toEqual(
    expect.arrayContaining(beside.filter((name) => name !== 'curl' && name !== 'Python')),
  )
})

const probes = new Set(['games-lrs'])
const timeout = 120_000

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('as the player launches a game, statements are stored with', () => {
  let system: PortalSystem
  let studio: Studio
  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  // one of them is in `npm test`
  test.concurrent.for(launchedClients.filter(({ name }) => probes.has(name)))(
    '$name, as docs/conformance.md says',
    { timeout },
    stores,
  )
  test.concurrent.for(launchedClients.filter(({ name }) => !probes.has(name)))(
    '$name, as docs/conformance.md says',
    { timeout, tags: 'long' },
    stores,
  )

  async function stores(client: LaunchedClient, { expect }: TestContext): Promise<void> {
    const { name, manifest, more = {} } = client
    const { gameId, slug } = await system.publish(studio, `Played ${name}`, buildOf(client))
    const { activityId } = (await studio.on().games.getGame({ gameId })).game!
    await using context = await browser!.newContext({ baseURL: system.url })
    const page = await context.newPage()
    const requests: Request[] = []
    const refused: string[] = []
    page.on('request', (request) => requests.push(request))
    page.on('response', async (response) => {
      // no saved game is there yet
      if (response.status() < 400 || response.url().includes('stateId')) return
      refused.push(`${response.status()} ${response.url()} ${await response.text().catch(() => '')}`)
    })
    await page.goto(`/play/${slug}`)
    await page.getByLabel('What do you want to be called?').fill('Ada')
    await page.getByRole('button', { name: 'Play' }).click()
    const address = new URL((await page.locator('#game').getAttribute('src'))!)
    const { actor, registration } = Object.fromEntries(address.searchParams)
    const frame = (await (await page.locator('#game').elementHandle()).contentFrame())!

    async function stored() {
      // a client that collects statements for five seconds sends them when the page closes
      await frame.evaluate("dispatchEvent(new Event('pagehide'))").catch(() => {})
      return system.database.sql<{ body: string }>(
        `select body from statement where body like '%"${activityId}/level-1"%'`,
      )
    }
    await expect.poll(async () => (await stored()).length || refused, { interval: 200 }).toBe(1)
    expect(JSON.parse((await stored())[0]!.body)).toMatchObject({
      actor: { ...(JSON.parse(actor!) as object), name: 'Ada' },
      context: { registration },
      result: { completion: true, score: { scaled: 0.8 } },
    })
    expect(refused).toEqual([])

    const failed: string[] = []
    for (const [what, code] of Object.entries(more)) {
      const error = await frame.evaluate<string | undefined>(
        `(async () => { ${code} })().then(() => undefined, (error) => String(error))`,
      )
      if (error !== undefined) failed.push(what)
    }
    const version = manifest === undefined ? 'of Chromium' : (JSON.parse(read(manifest)) as { version: string }).version
    const all = ['the sample', ...Object.keys(more)]
    expect(table).toContain(
      `| ${name} | ${version} | ${all.join('; ')} | ${all.length - failed.length} | ${failed.join('; ') || 'none'} |`,
    )

    // the session's secret is in no address that was sent on the way, and in no Referer
    const secret = new URLSearchParams(address.hash.split('?')[1]).get('session')!
    expect(secret).toMatch(/^[\w-]{43}$/)
    for (const request of requests)
      expect(`${request.url().split('#')[0]} ${(await request.allHeaders())['referer']}`).not.toContain(secret)
  }
})
