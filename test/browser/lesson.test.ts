import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'

const browser: Browser | undefined = await startBrowser()
const names = ['Ada', 'Bo', 'Cy']
const phone = { viewport: { width: 390, height: 844 } }

describe.skipIf(!browser)('a lesson', () => {
  let system: PortalSystem
  let context: BrowserContext
  let teacher: Page

  beforeAll(async () => {
    system = await startPortalSystem()
    await system.publish(await system.studio('Blue Fox'), 'Star Trail')
    context = await browser!.newContext({ baseURL: system.url })
    teacher = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  test('is opened by a new teacher, joined by a code, followed on the board, and read in the report', async () => {
    teacher.setDefaultTimeout(60_000)
    await teacher.goto('/sign-up?as=teacher')
    await teacher.getByLabel('Name of the school').fill('Hill School')
    await teacher.getByLabel('E-mail address').fill('tea@example.org')
    await teacher.getByLabel('Password').fill('four words in a row')
    await teacher.getByRole('button', { name: 'Open the school' }).click()
    await teacher.getByLabel('Name of the class').fill('4b')
    await teacher.getByLabel('Names of the pupils').fill(names.join('\n'))
    await teacher.getByRole('button', { name: 'Make the class' }).click()
    expect(await violations(teacher)).toEqual([])
    await teacher.getByRole('button', { name: 'Start the lesson' }).click()
    const code = (await teacher.getByLabel('Code of the lesson').textContent())!

    const pages = await Promise.all(
      names.map(async () => (await browser!.newContext({ baseURL: system.url, ...phone })).newPage()),
    )
    for (const page of pages) page.setDefaultTimeout(60_000)
    await Promise.all(
      pages.map(async (page) => {
        await page.goto('/join')
        await page.getByLabel('What is the code?').fill(code)
        await page.getByRole('button', { name: 'Go' }).click()
        await page.getByText('Your teacher looks for this picture.').waitFor()
      }),
    )
    await teacher.getByRole('button', { name: 'Let all in (3)' }).click()
    await Promise.all(
      pages.map(async (page, n) => {
        await page.getByLabel('Your name').fill(names[n]!.toLowerCase())
        await page.locator('.pictures label').nth(n).click()
        await page.getByRole('button', { name: 'Play' }).click()
        await page.waitForURL(/\/play\/.*\/game$/)
      }),
    )
    const [ada] = pages as [Page]
    await playLevel(ada.frameLocator('#game'), 1, 4)
    await teacher.getByRole('row', { name: /Ada/ }).getByText('✓').first().waitFor()
    await teacher.getByRole('button', { name: 'Look at me' }).click()
    await Promise.all(pages.map((page) => page.getByText('Look at your teacher').waitFor()))
    await teacher.getByRole('button', { name: 'Let the games go on' }).click()
    await Promise.all(pages.map((page) => page.getByText('Look at your teacher').waitFor({ state: 'hidden' })))
    expect(await violations(teacher)).toEqual([])
    await teacher.getByRole('link', { name: 'End the lesson' }).click()
    await teacher.getByRole('button', { name: 'End the lesson' }).click()
    await Promise.all(pages.map((page) => page.getByText('Your place in the lesson has ended.').waitFor()))
    await teacher.getByRole('row', { name: /Ada/ }).first().waitFor()
    expect(await violations(teacher)).toEqual([])
  })
})
