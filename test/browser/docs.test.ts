import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { library } from '../../portal/guides/library.ts'
import { bringAxe, overflow, startBrowser, violations, visit } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('the docs', () => {
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

  type Scheme = 'light' | 'dark'

  /** What is wrong with one page, in a window and on a phone; by axe in these schemes. */
  async function wrongWith(page: Page, path: string, [first, ...others]: readonly Scheme[]): Promise<string[]> {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: first ?? 'light' })
    const { bytes, status } = await visit(page, path)
    const problems = first ? await violations(page) : []
    if (status !== 200) problems.push(`the status is ${status}`)
    // with pictures, those in sight
    if (bytes >= (/portal|quiz/.test(path) ? 600_000 : 100_000)) problems.push(`it has ${bytes} bytes`)
    for (const colorScheme of others) {
      await page.emulateMedia({ colorScheme })
      problems.push(...(await violations(page, ['color-contrast'])).map((problem) => `${colorScheme}: ${problem}`))
    }
    for (const width of [900, 360]) {
      await page.setViewportSize({ width, height: 740 })
      if ((await overflow(page)) > 0) problems.push(`it scrolls sideways at ${width}`)
    }
    return problems
  }

  /** axe takes most of the time: in the short form it looks at each sixth page only, light and dark by turns. */
  const sample: readonly Scheme[][] = [['light'], [], ['dark'], []]

  /** @param part each sixth page only, when it is 6 */
  async function check(part: 1 | 6): Promise<void> {
    await using context = await browser!.newContext({ baseURL: system.url })
    const page = await context.newPage()
    await bringAxe(page)
    const found: Record<string, string[]> = {}
    const { guides: present } = await library()
    const guides = [...present.keys()].filter((name) => !/adr\/.*[2-9]-/.test(name)).map((name) => `/docs/${name}`)
    const paths = ['/docs', '/docs?q=launch+token', '/docs?q=xyzzyplugh', '/reporting', ...guides]
    for (const [n, path] of paths.filter((_, n) => n % part === 0).entries()) {
      const schemes: readonly Scheme[] = part === 1 ? ['light', 'dark'] : sample[n % sample.length]!
      const problems = await wrongWith(page, path, schemes)
      if (problems.length > 0) found[path] = problems
    }
    expect(found).toEqual({})
  }

  test('are in order, each sixth page: phone, weight, and each twelfth by axe', () => check(6))
  test('are in order, each page by axe, light and dark', { tags: 'long' }, () => check(1))

  test('lead from the search to the heading, without scripts', async () => {
    await using context = await browser!.newContext({ baseURL: system.url, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('link', { name: 'Docs' }).first().click()
    await page.getByRole('searchbox').fill('verify webhook')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Webhooks › Verify' }).click()
    expect(page.url()).toMatch(/\/docs\/webhooks#verify$/)
    const heading = (await page.locator('#verify').boundingBox())!
    expect(heading.y).toBeGreaterThanOrEqual(0)
    expect(heading.y).toBeLessThan(300)
  })

  test('have code to copy', async () => {
    await using context = await browser!.newContext({
      baseURL: system.url,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    await page.goto('/docs/webhooks')
    await page.locator('[data-copy]').first().click()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await page.locator('pre code').first().textContent())
  })

  test('are beside a game: its samples have its ids, before there is a build and with a credential', async () => {
    await using context = await browser!.newContext({ baseURL: system.url })
    await context.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    const page = await context.newPage()
    await bringAxe(page)
    const { games } = studio.on()
    const { gameId: draft } = await games.createGame({ name: 'Draft' })
    const { gameId: published } = await system.publish(studio, 'Published')
    for (const path of [
      `/games/${draft}/sandbox`,
      `/games/${draft}/credential`,
      `/games/${published}/sandbox`,
      `/games/${published}/credential`,
    ]) {
      await page.goto(path)
      const { activityId } = (await games.getGame({ gameId: path.split('/')[2]! })).game!
      expect(activityId).toMatch(/^https?:/)
      const samples = page.locator('section[aria-labelledby="engines"] details')
      expect(await samples.count()).toBe(9)
      // one is open at a time
      const last = samples.last()
      await last.locator('summary').click()
      expect(await samples.first().getAttribute('open')).toBeNull()
      expect(await last.locator('code').textContent()).toContain(`${activityId}/level-1`)
      expect(await violations(page)).toEqual([])
    }
  })
})
