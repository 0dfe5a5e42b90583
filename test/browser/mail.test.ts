import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../start/fixtures/launch.ts'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'

const browser: Browser | undefined = await startBrowser()
const shots = process.env['LRS_SHOTS']
const email = 'ann@example.org'
const password = 'three calm words'

describe.skipIf(!browser)('links in mails, clicked', () => {
  let mailServer: MailServer
  let system: PortalSystem
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    mailServer = await startMailServer()
    const [portalPort] = (await freePorts(1)) as [number]
    system = await startPortalSystem({
      gateways: 1,
      portalPort,
      mail: mailServer.config(`http://127.0.0.1:${portalPort}`),
    })
    context = await visitor()
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
    await mailServer.close()
  })

  const visitor = (options: Parameters<Browser['newContext']>[0] = {}) =>
    browser!.newContext({ baseURL: system.url, viewport: { width: 1280, height: 900 }, ...options })

  /** Nothing for axe to find, on a wide window and a narrow one, by day and by night. */
  async function looksRight(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
      ...(shots
        ? ([
            [1280, 'dark'],
            [390, 'light'],
          ] as const)
        : []),
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await violations(page), `${name} at ${width}`).toEqual([])
      expect(await overflow(page), `${name} at ${width}`).toBe(0)
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  const heading = (on = page) => on.getByRole('heading', { level: 1 }).textContent()

  test('a sign-up is confirmed by its link and the password', async () => {
    await page.goto('/sign-up')
    await page.getByLabel('Name of the studio').fill('Blue Fox')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Open the studio' }).click()
    expect(await heading()).toBe('Look into your mailbox')
    await looksRight('mail-sent')
    const mail = await mailServer.next(email, /^Confirm/)
    await page.goto(mail.links[0]!)
    await looksRight('mail-confirm')
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('Password must be the one that you chose')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    expect(new URL(page.url()).pathname).toBe('/games')
    await page.goto(mail.links[0]!)
    expect(await page.getByText('This link cannot be used').count()).toBe(1)
  })

  test(
    'a forgotten password is replaced by a link without JavaScript; the old session ends',
    { tags: 'long' },
    async () => {
      const other = await visitor({ javaScriptEnabled: false })
      const guest = await other.newPage()
      await guest.goto('/sign-in')
      await guest.getByRole('link', { name: 'Forgot your password?' }).click()
      await guest.getByLabel('E-mail address').fill(email)
      await guest.getByRole('button', { name: 'Send me a link' }).click()
      expect(await heading(guest)).toBe('Look into your mailbox')
      // a mail's HTML is opened by a program of others
      const { html } = await mailServer.next(email, /^Set a new password/)
      const reader = await other.newPage()
      await reader.setContent(html)
      await reader.getByRole('link', { name: 'Choose a new password' }).click()
      await reader.getByLabel('New password').fill('four calm words now')
      await reader.getByRole('button', { name: 'Set the password' }).click()
      expect(await reader.getByRole('status').textContent()).toContain('The new password is set')
      await reader.getByLabel('E-mail address').fill(email)
      await reader.getByLabel('Password').fill('four calm words now')
      await reader.getByRole('button', { name: 'Sign in' }).click()
      expect(new URL(reader.url()).pathname).toBe('/games')
      await other.close()

      await page.goto('/games')
      expect(new URL(page.url()).pathname).toBe('/sign-in')
      await page.goto('/reset')
      await looksRight('mail-reset')
      await page.goto('/sign-in')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill('four calm words now')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/games')
    },
  )

  test('the header counts what is new, and a page lists it', { tags: 'long' }, async () => {
    const bell = page.getByRole('link', { name: /^Notifications/ })
    expect(await bell.getAttribute('aria-label')).toBe('Notifications, 2 unread')
    await bell.click()
    await looksRight('notifications')
    await page.getByRole('button', { name: /^Mark as read.*password was changed/ }).click()
    expect(await bell.getAttribute('aria-label')).toBe('Notifications, 1 unread')
    await page.getByRole('button', { name: /^Mark as unread.*password was changed/ }).click()
    await page.getByRole('button', { name: /^Open.*Your password was changed/ }).click()
    expect(new URL(page.url()).pathname).toBe('/account')
    await looksRight('account-with-mail')
    await bell.click()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    expect(await bell.getAttribute('aria-label')).toBe('Notifications')
  })

  test('the address is changed by a link, and mails are chosen', { tags: 'long' }, async () => {
    await page.goto('/account/mail')
    await looksRight('account-mail')
    expect(await page.getByLabel('Safety of the account').isDisabled()).toBe(true)
    await page.getByLabel('Messages').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByLabel('Messages').isChecked()).toBe(false)
    expect(await page.getByLabel('Reviews').isChecked()).toBe(true)

    await page.getByLabel('New address').fill('anna@example.org')
    await page.getByLabel('Current password').fill('four calm words now')
    await page.getByRole('button', { name: 'Send the link' }).click()
    const mail = await mailServer.next('anna@example.org', /^Confirm your new/)
    await page.goto(mail.links[0]!)
    await looksRight('mail-address')
    await page.getByRole('button', { name: 'Use this address' }).click()
    expect(await page.getByRole('status').textContent()).toContain('verified')
    expect(await page.getByText('anna@example.org').count()).toBeGreaterThan(0)
    await mailServer.next(email, /^The e-mail address of your account was changed$/)
  })
})
