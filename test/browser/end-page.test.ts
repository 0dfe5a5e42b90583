import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import { statement } from '../support/statements.ts'
import { xapiClient } from '../support/xapi.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('the end of a game', () => {
  let system: PortalSystem
  let slug: string
  let context: BrowserContext
  let page: Page
  const result = () => page.locator('.child').innerText()

  beforeAll(async () => {
    system = await startPortalSystem()
    ;({ slug } = await system.publish(await system.studio('Blue Fox'), 'Star Trail'))
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })
  beforeEach(async () => {
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1200, height: 800 } })
    page = await context.newPage()
  })
  afterEach(() => context.close())

  const start = async (name: string) => {
    await page.goto(`/play/${slug}`)
    await page.getByLabel('What do you want to be called?').fill(name)
    await page.getByRole('button', { name: 'Play' }).click()
    await page.frameLocator('#game').getByText(`Playing as ${name}.`).waitFor()
  }
  /** Reports as the game does, about the game as a whole. */
  const report = async (verb: string, result?: object) => {
    const launch = JSON.parse((await page.locator('#game').getAttribute('data-launch'))!) as Record<
      'endpoint' | 'auth' | 'registration' | 'activity_id',
      string
    >
    const { status } = await xapiClient(new URL(launch.endpoint).origin, launch.auth).post(
      statement({
        verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
        object: { id: launch.activity_id },
        context: { registration: launch.registration },
        result,
      }),
    )
    expect(status).toBe(200)
  }
  const hint = () =>
    page
      .frames()
      .find((frame) => frame !== page.mainFrame())!
      .evaluate(`parent.postMessage({ type: 'xapi-ended' }, '*')`)

  test('a learner who leaves sees what was reached: levels, result, score and time', async () => {
    await start('Ada')
    await playLevel(page.frameLocator('#game'), 1, 3)
    await report('completed', { success: true, score: { scaled: 0.85, raw: 17, max: 20 } })
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.locator('.child h1').waitFor()
    expect(await result()).toMatch(/Well done, Ada!\s+You have 2 of 3 stars.\s+Passed · 85 % · 17 of 20/)
    await page.getByRole('listitem').getByText('Level 1').waitFor()
    await page.getByRole('img', { name: '2 of 3 stars' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await overflow(page)).toBe(0)
    await page.reload()
    expect(await result()).toContain('85 %')
    await page.getByRole('link', { name: 'I am done' }).click()
    await page.getByText('Now the next child can play.').waitFor()
    await page.goBack()
    await page.reload()
    expect(await result()).not.toMatch(/Ada|85 %/)
  })

  test('the next learner at the computer does not see it, nor a session of before', { tags: 'long' }, async () => {
    await start('Bo')
    await report('completed', { score: { scaled: 0.5 } })
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('50 %').waitFor()
    await page.getByRole('link', { name: 'Play again' }).click()
    await page.getByLabel('What do you want to be called?').waitFor()
    await page.goto(`/play/${slug}/end`)
    await page.locator('.child h1').waitFor()
    expect(await page.getByText('Bo').count()).toBe(0)
    expect(await page.getByText('50 %').count()).toBe(0)
    await start('Cy')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.locator('.child h1').waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/Bo|50 %/)
  })

  test('a game that was completed shows it, and the learner may play on', async () => {
    await start('Di')
    // what the game sends at its start is stored: after its end it would be a new beginning
    await page.frameLocator('#game').getByText('Connected').waitFor()
    await report('completed', { completion: true, score: { scaled: 0.9 } })
    await hint()
    await page.getByRole('status').getByText('Finished · 90 %').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Play on' }).click()
    expect(await page.getByRole('button', { name: 'See your result' }).isVisible()).toBe(false)
    await hint()
    await playLevel(page.frameLocator('#game'), 1, 4)
    expect(await page.getByRole('button', { name: 'See your result' }).isVisible()).toBe(false)
  })

  test('a game that has terminated offers the result, also without a hint', { tags: 'long' }, async () => {
    await page.clock.install()
    await start('Ed')
    await page.clock.runFor(6_000)
    // what the game has sent is stored: nothing comes after its end
    await page.frameLocator('#game').getByText('Connected').waitFor()
    await report('terminated', { success: false, duration: 'PT2M' })
    const offer = page.getByRole('button', { name: 'See your result' })
    await expect
      .poll(async () => {
        await page.clock.runFor(2_000)
        return offer.isVisible()
      })
      .toBe(true)
    // its own last screen stays
    expect(await page.locator('#game').isVisible()).toBe(true)
    await offer.click()
    await page.clock.runFor(2_000)
    await page.locator('.child h1').waitFor()
    expect(await result()).toMatch(/Nice try, Ed!\s+Not passed yet · 2 min/)
  })

  test('a reload is no end, although the game says that it terminated', { tags: 'long' }, async () => {
    await start('Flo')
    const answers: string[] = []
    page.on('response', async (one) => one.url().endsWith('/result') && answers.push(await one.text()))
    await page.reload()
    await page.frameLocator('#game').getByText('Playing as Flo.').waitFor()
    await hint()
    await expect.poll(() => answers).toHaveLength(1)
    expect(JSON.parse(answers[0]!)).toMatchObject({ ended: '' })
  })

  test('a game that reported nothing is not said to have saved anything', { tags: 'long' }, async () => {
    await page.route('**/xapi/statements', (route) => route.abort())
    await start('Gus')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('The game has sent nothing.').waitFor()
  })
})
