import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { easyPuzzle } from '../support/system.ts'

const browser: Browser | undefined = await startBrowser()

/** Challenges of core, solved by the widget of the page; accounts.test.ts has one as hard as they are. */
describe.skipIf(!browser)('the contact form', () => {
  let system: PortalSystem
  let studio: Studio
  let page: Page
  let path: string

  beforeAll(async () => {
    system = await startPortalSystem({ gateways: 1, puzzle: easyPuzzle })
    studio = await system.studio('Blue Fox')
    path = `/studios/${(await studio.on().accounts.getAccount({})).studio!.slug}`
    const context = await browser!.newContext({ baseURL: system.url, viewport: { width: 390, height: 740 } })
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  const messages = async () => (await studio.on().accounts.listMessages({})).messages
  const focusOn = (selector: string) =>
    expect.poll(() => page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)).toBe(true)

  async function write(): Promise<void> {
    await page.goto(path)
    await page.getByLabel('Your name').fill('Ana')
    await page.getByLabel('Your e-mail address').fill('ana@example.org')
    await page.getByLabel('Message').fill('Hello!')
  }

  test('is written, solved and sent with the keyboard; that it was sent is told in view', async () => {
    await page.goto(path)
    await page.getByRole('group', { name: 'Spam check' }).getByText('Tick it before you send').waitFor()
    await page.getByLabel('Your name').focus()
    await page.keyboard.type('Ana')
    await page.keyboard.press('Tab')
    await page.keyboard.type('ana@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Hello!')
    await page.getByRole('checkbox').waitFor()
    await page.keyboard.press('Tab')
    await focusOn('input[type=checkbox]')
    await page.keyboard.press('Space')
    await page.locator('[data-state=verified]').waitFor()
    await page.keyboard.press('Tab')
    await focusOn('form.form button')
    await page.keyboard.press('Enter')
    const told = page.getByRole('status')
    await told.waitFor()
    const { y } = (await told.boundingBox())!
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThan(740)
    expect(await violations(page)).toEqual([])
    expect(await messages()).toMatchObject([{ senderName: 'Ana', message: 'Hello!' }])
  })

  test('a solution is good once, and a refusal stands by the puzzle with a new one', async () => {
    await write()
    await page.getByRole('checkbox').click()
    await page.locator('[data-state=verified]').waitFor()
    const before = (await messages()).length
    // the same form from another window
    const status = await page.evaluate(
      `fetch(location.pathname, { method: 'POST', body: new URLSearchParams(new FormData(document.querySelector('form.form'))) }).then(({ status }) => status)`,
    )
    expect([status, (await messages()).length]).toEqual([200, before + 1])
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').waitFor()
    const puzzle = page.getByRole('group', { name: 'Spam check' })
    expect(await page.locator(`#${await puzzle.getAttribute('aria-describedby')}`).textContent()).toContain(
      'used before',
    )
    expect(await page.getByLabel('Message').inputValue()).toBe('Hello!')
    await page.getByRole('checkbox').click()
    await page.locator('[data-state=verified]').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('status').waitFor()
    expect((await messages()).length).toBe(before + 2)
  })

  test('the limit is told in the form, which keeps what was typed', async () => {
    await write()
    await page.getByRole('checkbox').click()
    await page.locator('[data-state=verified]').waitFor()
    // what has been sent so far were four
    await page.evaluate(
      `fetch(location.pathname, { method: 'POST', body: new URLSearchParams(new FormData(document.querySelector('form.form'))) })`,
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    expect(await page.getByLabel('Message').inputValue()).toBe('Hello!')
  })
})
