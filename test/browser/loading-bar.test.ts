import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('while a game loads', () => {
  let system: PortalSystem
  let slug: string
  let context: BrowserContext
  let page: Page
  const bar = () => page.getByRole('progressbar', { name: 'The game is loading' })
  /** Lets the last file of the game come. */
  let arrive = () => {}

  beforeAll(async () => {
    system = await startPortalSystem()
    ;({ slug } = await system.publish(await system.studio('Blue Fox'), 'Star Trail'))
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })
  beforeEach(async () => {
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 390, height: 844 } })
    page = await context.newPage()
    const { promise, resolve } = Promise.withResolvers<void>()
    arrive = resolve
    await page.route('**/quiz.css', async (route) => {
      await promise
      await route.continue()
    })
    await page.goto(`/play/${slug}`)
    await page.getByLabel('What do you want to be called?').fill('Ada')
    await page.getByRole('button', { name: 'Play' }).click({ noWaitAfter: true })
    await page.waitForURL('**/game', { waitUntil: 'commit' })
  })
  afterEach(async () => {
    arrive()
    await context.close()
  })

  const tell = (progress: unknown) =>
    page
      .frames()
      .find((frame) => frame !== page.mainFrame())!
      .evaluate(`parent.postMessage({ type: 'xapi-loading', progress: ${JSON.stringify(progress)} }, '*')`)

  test('a bar says so, without a figure that nobody knows; then it is gone, and nothing has moved', async () => {
    await bar().waitFor()
    expect(await bar().getAttribute('aria-valuenow')).toBeNull()
    expect(await violations(page)).toEqual([])
    const before = await page.locator('#game').boundingBox()
    arrive()
    await bar().waitFor({ state: 'hidden' })
    await page.frameLocator('#game').getByText('Playing as Ada.').waitFor()
    expect(await page.locator('#game').boundingBox()).toEqual(before)
    const shifts = await page.evaluate(`new Promise((done) => {
      const observer = new PerformanceObserver(() => {})
      observer.observe({ type: 'layout-shift', buffered: true })
      done(observer.takeRecords().map(({ value, sources }) => value + ' ' + sources.map(({ node }) => node?.outerHTML)))
    })`)
    expect(shifts).toEqual([])
  })

  test('a game that tells how far it is gets a bar with a figure, until it says that it is done', async () => {
    await bar().waitFor()
    await tell(0.4)
    await expect.poll(() => bar().getAttribute('aria-valuenow')).toBe('40')
    arrive()
    await page.frameLocator('#game').getByText('Playing as Ada.').waitFor()
    for (const wrong of ['x', null, {}]) await tell(wrong)
    expect([await bar().isVisible(), await bar().getAttribute('aria-valuenow')]).toEqual([true, '40'])
    expect(await violations(page)).toEqual([])
    await tell(1)
    await bar().waitFor({ state: 'hidden' })
  })
})
