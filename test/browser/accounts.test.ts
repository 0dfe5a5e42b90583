import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { overflow, pageWeight, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { easyPuzzle } from '../support/system.ts'

const browser: Browser | undefined = await startBrowser()
const password = 'three calm words'
const shots = process.env['LRS_SHOTS']

describe.skipIf(!browser)('accounts in the portal', () => {
  let system: PortalSystem
  let context: BrowserContext
  let page: Page
  /** What the browser's console said of policies that were broken. */
  let refusals: string[]

  beforeAll(async () => {
    system = await startPortalSystem({ gateways: 1, puzzle: easyPuzzle })
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })
  beforeEach(async () => {
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1200, height: 900 } })
    page = await context.newPage()
    refusals = []
    page.on(
      'console',
      (message) => /Content.Security.Policy|Refused to/i.test(message.text()) && refusals.push(message.text()),
    )
    page.on('pageerror', (error) => refusals.push(String(error)))
  })
  afterEach(async () => {
    await context.close()
    if (refusals.length > 0) throw new Error(refusals.join('\n'))
  })

  /** Nothing for axe to find, on a wide window and a narrow one, by day and by night. */
  async function looksRight(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [1200, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await violations(page), `${name} at ${width}`).toEqual([])
      expect(await overflow(page), `${name} at ${width}`).toBe(0)
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1200, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  async function signUp(name: string, email: string): Promise<void> {
    await page.goto('/sign-up')
    await page.getByLabel('Name of the studio').fill(name)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Open the studio' }).click()
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
  }

  test('sign up: what was typed stays, but for the password, and the message stands by its field', async () => {
    await page.goto('/sign-up')
    await page.getByLabel('Name of the studio').fill('Red <Fox>')
    // what browsers let through
    await page.getByLabel('E-mail address').fill('red@example')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Open the studio' }).click()
    await expect
      .poll(() => page.getByRole('alert').getByRole('link').allTextContents())
      .toEqual([expect.stringMatching(/^E-mail address must be/), expect.stringMatching(/^Password must have 10/)])
    const email = page.getByLabel('E-mail address')
    expect([await email.getAttribute('aria-invalid'), await email.inputValue()]).toEqual(['true', 'red@example'])
    await email.fill('red@example.org')
    const field = page.getByLabel('Password')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(
      await page.locator(`#${(await field.getAttribute('aria-describedby'))!.split(' ').at(-1)}`).textContent(),
    ).toContain('10 characters or more')
    expect(await field.inputValue()).toBe('')
    expect(await page.getByLabel('Name of the studio').inputValue()).toBe('Red <Fox>')
    await looksRight('sign-up-refused')
    await field.fill(password)
    await page.getByRole('button', { name: 'Open the studio' }).click()
    await page.getByRole('link', { name: 'Red <Fox>' }).waitFor()
  })

  test('guests come back to the page that they wanted; signing out ends the session', { tags: 'long' }, async () => {
    await signUp('Green Fox', 'green@example.org')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/')
    await page.goto('/messages')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await looksRight('sign-in')
    await page.getByLabel('E-mail address').fill('green@example.org')
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'No messages' }).waitFor()
    await looksRight('messages-none')
  })

  test('the account: another password, and out everywhere', { tags: 'long' }, async () => {
    await signUp('Grey Fox', 'grey@example.org')
    const other = await browser!.newContext({ baseURL: system.url })
    await other.addCookies(await context.cookies())
    await page.goto('/account')
    await page.getByLabel('Current password').fill('not this one')
    await page.getByLabel('New password').fill('four calm words more')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').waitFor()
    await looksRight('account-refused')
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('four calm words more')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Password changed').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('The account had one session. It has ended').waitFor()
    const elsewhere = await other.newPage()
    await elsewhere.goto('/account')
    expect(elsewhere.url()).toContain('/sign-in')
    await other.close()
  })

  test(
    'the profile with a logo; people write, once for each puzzle, and the studio reads it',
    { tags: 'long' },
    async () => {
      await signUp('Blue Fox', 'blue@example.org')
      await page.goto('/studio')
      await page.getByLabel('Website').fill('javascript:alert(1)')
      await page.getByRole('textbox', { name: 'About' }).fill('We make games about rivers.\n\n<b>And bridges.</b>')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('Website').inputValue()).toBe('javascript:alert(1)')
      await page.getByLabel('Website').fill('bluefox.example')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
      await page
        .getByLabel('Add a logo')
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await page.locator('.brand').screenshot() })
      await page.getByText('Logo saved.').waitFor()
      await looksRight('studio')

      const { cookies } = await context.storageState()
      await context.clearCookies()
      await page.goto('/studios/blue-fox')
      expect(await page.locator('altcha-widget').count()).toBe(0)
      await page.getByLabel('Your name').fill('Ana <i>')
      await page.getByLabel('Your e-mail address').fill('ana@example')
      await page.getByLabel('Message').fill('Hello!\n\nI teach physics.')
      await page.locator('form.form').evaluate((form: { noValidate: boolean }) => void (form.noValidate = true))
      await page.getByRole('checkbox').click()
      await page.locator('[data-state=verified]').waitFor()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('Message').inputValue()).toBe('Hello!\n\nI teach physics.')
      await page.locator('altcha-widget').waitFor()
      await looksRight('public-studio-refused')
      await page.getByLabel('Your e-mail address').fill('ana@example.org')
      await page.getByRole('checkbox').click()
      await page.locator('[data-state=verified]').waitFor()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('has your message and can answer by e-mail').waitFor()

      await context.addCookies(cookies)
      await page.goto('/messages')
      await page.getByRole('heading', { name: 'Ana <i>' }).waitFor()
      expect(await page.getByRole('link', { name: 'Reply to Ana <i> by e-mail' }).getAttribute('href')).toBe(
        'mailto:ana@example.org',
      )
      await looksRight('messages')
      await page.getByText('Delete', { exact: false }).first().click()
      await page.getByRole('button', { name: 'Delete for good' }).click()
      await page.getByText('Message deleted.').waitFor()
      await page.goto('/studio')
      await page.getByRole('button', { name: 'Remove the logo' }).click()
      await page.getByText('Logo removed.').waitFor()
    },
  )

  test('the public page stays light', async () => {
    await system.studio('Light Fox')
    expect(await pageWeight(context, '/studios/light-fox')).toBeLessThan(100 * 1024)
  })
})
