import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrowser } from '../support/browser.ts'
import { bestOfThree } from '../support/cost.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'

const browser: Browser | undefined = await startBrowser()

/** What a learner on the way has: a slow 4G network and a cheap phone. */
const network = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8, offline: false }
const cpuSlowdown = 4
/** Milliseconds until something of the page is seen. */
const promised = 1_000

/** The page is fast on a slow phone. */
describe.skipIf(!browser)('on a throttled phone the first paint comes within a second', () => {
  let system: PortalSystem
  let slug: string
  let context: BrowserContext
  const shown: string[] = []

  beforeAll(async () => {
    system = await startPortalSystem()
    ;({ slug } = await system.publish(await system.studio('Blue Fox'), 'Star Trail'))
    context = await browser!.newContext({
      baseURL: system.url,
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    const page = await context.newPage()
    await page.goto(`/play/${slug}`)
    await page.getByLabel('What do you want to be called?').fill('Ada')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.frameLocator('#game').getByText('Playing as Ada.').waitFor()
    await page.close()
  })
  afterAll(async () => {
    process.stdout.write(
      `\n    first paint, ${network.latency} ms, 1.6 Mbit/s, CPU 1/${cpuSlowdown}: ${shown.join(', ')}\n\n`,
    )
    await browser?.close()
    await system.close()
  })

  /** Opens a page with an empty cache on the slow network and the slow processor. */
  async function open(path: string, prepare: (page: Page) => Promise<unknown> = async () => {}): Promise<Page> {
    const page = await context.newPage()
    await prepare(page)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.emulateNetworkConditions', network)
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
    await page.goto(path, { waitUntil: 'commit' })
    return page
  }

  /** Milliseconds from the request to the first paint with content. */
  async function firstPaint(path: string, prepare?: (page: Page) => Promise<unknown>): Promise<number> {
    const page = await open(path, prepare)
    const painted = await page.evaluate(
      `new Promise((done) => new PerformanceObserver((list) => {
        const [first] = list.getEntriesByName('first-contentful-paint')
        if (first) done(first.startTime)
      }).observe({ type: 'paint', buffered: true }))`,
    )
    await page.close()
    return Math.round(painted as number)
  }

  /** Milliseconds that the network takes before a page can be painted: the page, then what blocks its paint. */
  async function networkTime(path: string, prepare?: (page: Page) => Promise<unknown>): Promise<number> {
    const page = await open(path, prepare)
    await page.waitForLoadState('load')
    const sizes = await page.evaluate<number[]>(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')
        .filter((one) => one.renderBlockingStatus === 'blocking')].map((one) => one.transferSize)`,
    )
    await page.close()
    // the page and at least one style sheet
    expect(sizes.length).toBeGreaterThan(1)
    const bytes = sizes.reduce((sum, size) => sum + size)
    return Math.round(2 * network.latency + (1000 * bytes) / network.downloadThroughput)
  }

  const pages: [string, () => string][] = [
    ['the page before the game', () => `/play/${slug}`],
    ['the game', () => `/play/${slug}/game`],
    ['the page in a frame of another site', () => `/embed/${slug}`],
  ]

  test.each(pages)('%s: the network leaves half of the second to the processor', async (what, path) => {
    const milliseconds = await networkTime(path())
    shown.push(`${what}: network ${milliseconds} ms`)
    expect(milliseconds).toBeLessThan(promised / 2)
  })

  test('a style sheet of 200 KB would be seen', async () => {
    const body = `.x{color:red}`.repeat(16_000)
    const heavy = (page: Page) => page.route('**/play.css', (route) => route.fulfill({ contentType: 'text/css', body }))
    expect(await networkTime(`/play/${slug}`, heavy)).toBeGreaterThan(promised)
  })

  test.each(pages)('%s, measured', { ...bestOfThree, tags: 'long' }, async (what, path) => {
    // a machine that is busy with other things gets further tries, a page that is too slow needs all of them in vain
    let milliseconds = Infinity
    for (let tries = 0; tries < 3 && milliseconds >= promised; tries++)
      milliseconds = Math.min(milliseconds, await firstPaint(path()))
    shown.push(`${what} ${milliseconds} ms`)
    // page and styles come one after the other: the throttle works
    expect(milliseconds).toBeGreaterThan(2 * network.latency)
    expect(milliseconds).toBeLessThan(promised)
  })

  test('what holds the paint up is measured: a style sheet that comes a second late', { tags: 'long' }, async () => {
    const late = (page: Page) =>
      page.route('**/play.css', async (route) => {
        await new Promise((done) => setTimeout(done, promised))
        await route.continue()
      })
    expect(await firstPaint(`/play/${slug}`, late)).toBeGreaterThan(promised)
  })
})
