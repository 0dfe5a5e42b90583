import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()
/** `npm run class-test` has a class of 30. */
const learners = Number(process.env['LRS_TEST_LEARNERS'] ?? 3)

describe.skipIf(!browser)('a class', () => {
  let system: PortalSystem
  let studio: Studio
  let gameId: string
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
    ;({ gameId } = await system.publish(studio, 'Star Trail'))
    context = await browser!.newContext({ baseURL: system.url })
    await context.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  test(`comes by printed links; the table is right when the statements are stored (${learners} browsers)`, async () => {
    const names = Array.from({ length: learners }, (_, n) => `Learner ${n + 1}`)
    await page.goto(`/games/${gameId}/invitations`)
    await page.getByLabel('Name of the class').fill('4b')
    await page.getByLabel('Names, one a line').fill(`${names.join('\n')}\n`)
    await page.getByRole('button', { name: 'Make the class' }).click()
    await page.getByRole('button', { name: /Make a sheet/ }).click()
    expect(await violations(page)).toEqual([])
    const links = await page
      .locator('.invitation-card')
      .evaluateAll((cards) =>
        cards.map((one) => [
          one.querySelector('h2')!.textContent,
          one.querySelector('a')!.href,
          one.querySelector('svg')!.getAttribute('aria-label'),
        ]),
      )
    expect(links.map(([name]) => name)).toEqual(names)
    // a reload makes no new links: those on paper stay good
    await page.reload()
    await page.getByText('Links were made since you opened this form').waitFor()

    const played = links.map(async ([name, link], n) => {
      await using own = await browser!.newContext()
      const guest = await own.newPage()
      await guest.goto(link, { timeout: 120_000 })
      await guest.getByText(`Hello ${name}`).waitFor({ timeout: 120_000 })
      await guest.getByRole('button', { name: 'Play' }).click({ timeout: 120_000 })
      guest.setDefaultTimeout(120_000)
      await playLevel(guest.frameLocator('#game'), 1, n % 5)
      await guest.getByRole('button', { name: 'Leave' }).click()
      await guest.locator('.child h1').waitFor()
    })
    await Promise.all(played)
    const completed = () =>
      system.database.sql(`select 1 from statement where body like '%"http://adlnet.gov/expapi/verbs/completed"%'`)
    await expect.poll(async () => (await completed()).length, { timeout: 60_000 }).toBe(learners)

    // stored: so it is in the table
    await page.goto(`/games/${gameId}/invitations`)
    await page.getByRole('link', { name: '4b' }).click()
    const rows = await page
      .locator('.results tbody tr')
      .evaluateAll((rows) => rows.map((row) => [0, 2, 6].map((n) => row.children[n]!.textContent)))
    expect(rows).toEqual(names.map((name, n) => [name, '1', `${(n % 5) * 25} %`]))
    expect(await violations(page)).toEqual([])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('4b.csv')
    const csv = Buffer.concat(await (await file.createReadStream()).toArray()).toString()
    expect(csv.split('\r\n')[1]).toMatch(/^Learner 1,yes,1,1,1,\d,\d,0,0,\d+,\d{4}-.*Z,\d+$/)
  })

  test('prints ten cards on a page of A4, and needs no script', { tags: 'long' }, async () => {
    await using own = await browser!.newContext({ baseURL: system.url, javaScriptEnabled: false })
    await own.addCookies(await context.cookies())
    const plain = await own.newPage()
    const { classId } = await studio.on().classes.createClass({ gameId, name: 'Nicknames', nicknames: 52 })
    await plain.goto(`/games/${gameId}/classes/${classId}`)
    const [answer] = await Promise.all([
      plain.waitForResponse((response) => response.request().method() === 'POST'),
      plain.getByRole('button', { name: 'Make a sheet with 30 links' }).click(),
    ])
    expect((await answer.body()).length).toBeLessThan(100_000)
    expect(await plain.locator('.invitation-card').count()).toBe(30)
    const pdf = await plain.pdf({ preferCSSPageSize: true })
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(3)
    await plain.setViewportSize({ width: 390, height: 844 })
    expect(await overflow(plain)).toBe(0)
    await plain.getByRole('link', { name: 'Back to the class' }).click()
    await plain.getByRole('button', { name: 'Make a sheet with 22 links' }).click()
    expect(await plain.locator('.invitation-card').count()).toBe(22)
  })

  test('ends when its end is confirmed, and again is open', { tags: 'long' }, async () => {
    await page.goto(`/games/${gameId}/invitations`)
    await page.getByRole('link', { name: 'Nicknames' }).click()
    await page.getByRole('link', { name: 'End the class' }).click()
    await page.getByRole('button', { name: 'End the class' }).click()
    await page.getByText('This class has ended').waitFor()
    await page.getByRole('button', { name: 'Undo the end' }).click()
    await page.getByText('The class is open again').waitFor()
  })
})
