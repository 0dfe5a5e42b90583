import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'

const browser: Browser | undefined = await startBrowser()
const password = 'three calm words'
const shots = process.env['LRS_SHOTS']

describe.skipIf(!browser)('second factors in the portal', () => {
  let system: PortalSystem
  let context: BrowserContext
  let page: Page
  let errors: string[]

  beforeAll(async () => {
    system = await startPortalSystem({ gateways: 1, secondFactor: 'staff' })
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })
  beforeEach(async () => {
    // browsers have passkeys on localhost, but not on 127.0.0.1
    const baseURL = system.url.replace('127.0.0.1', 'localhost')
    context = await browser!.newContext({ baseURL, viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on(
      'console',
      (message) => /Content.Security.Policy|Refused to/i.test(message.text()) && errors.push(message.text()),
    )
  })
  afterEach(async () => {
    await context.close()
    if (errors.length > 0) throw new Error(errors.join('\n'))
  })

  /** Nothing for axe to find, on a wide window and on a phone, by day and by night. */
  async function looksRight(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await violations(page), `${name} at ${width}`).toEqual([])
      expect(await overflow(page), `${name} at ${width}`).toBe(0)
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  async function signUp(email: string): Promise<void> {
    await page.goto('/sign-up')
    await page.getByLabel('Name of the studio').fill('Fox')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Open the studio' }).click()
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
  }

  async function signIn(email: string): Promise<void> {
    await page.goto('/sign-in?next=/messages')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const signOut = () => page.getByRole('button', { name: 'Sign out', exact: true }).click()

  /** Chromium's own authenticator, as of a phone with a fingerprint. */
  async function authenticator(): Promise<{ session: CDPSession; id: string }> {
    const session = await context.newCDPSession(page)
    await session.send('WebAuthn.enable')
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { session, id: authenticatorId }
  }

  test('a passkey is added, signs in alone and as second factor, and is removed', async () => {
    const device = await authenticator()
    await signUp('passkey@example.org')
    await page.goto('/account/security')
    await page.getByLabel('Name of the passkey').fill('My <phone>')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const codes = (await page.locator('#recovery').textContent())!.split('\n')
    expect(codes).toHaveLength(10)
    await looksRight('recovery-codes')
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByRole('strong').getByText('My <phone>').waitFor()
    await looksRight('security-passkey')

    await signOut()
    await page.goto('/sign-in?next=/messages')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'No messages' }).waitFor()

    await signOut()
    await signIn('passkey@example.org')
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await looksRight('second-step')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'No messages' }).waitFor()

    // without the device: a recovery code, once
    await signOut()
    await device.session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: device.id })
    for (const [tries, outcome] of [
      ['first', 'No messages'],
      ['second', 'Second step'],
    ] as const) {
      await signIn('passkey@example.org')
      await page.getByLabel('Recovery code').fill(codes[0]!)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: outcome }).waitFor()
      if (tries === 'first') await signOut()
    }
    await page.getByRole('alert').getByText('used before').waitFor()
    await page.getByLabel('Recovery code').fill(codes[1]!)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'No messages' }).waitFor()
    await page.goto('/account/security')
    await page.getByText('8 codes are left').waitFor()
    await page.getByRole('button', { name: 'Remove My <phone>' }).click()
    await page.getByText('Password only').waitFor()
  })

  test(
    'a reviewer who needs an app gets to its page only; the app confirms changes, later on',
    { tags: 'long' },
    async () => {
      const email = 'reviewer@example.org'
      await signUp(email)
      await system.admin.accounts.setReviewer({ email, reviewer: true })
      await page.goto('/reviews')
      await page.getByText('This service asks you for a second factor').waitFor()
      expect(new URL(page.url()).pathname).toBe('/account/security')
      await looksRight('security-needed')
      await page.getByRole('link', { name: 'Set up an app' }).click()
      await page.getByRole('img', { name: 'QR code of the key' }).waitFor()
      await looksRight('app')
      const key = (await page.locator('ol code').textContent())!.replaceAll(' ', '')
      const code = (steps = 0) =>
        new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + steps * 30_000 })
      await page.getByRole('textbox', { name: 'Code' }).fill('12345')
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('alert').getByText('is wrong').waitFor()
      await page.getByRole('textbox', { name: 'Code' }).fill(code(-1))
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('link', { name: 'I have kept them' }).click()
      await page.getByText('Second factor on').waitFor()
      await page.goto('/reviews')
      await page.getByRole('heading', { name: 'Reviews' }).waitFor()

      await signOut()
      await signIn(email)
      await page.getByRole('textbox', { name: 'Code' }).fill(code())
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'No messages' }).waitFor()
      await system.database.sql(`update studio_session set proved = now() - interval '1 hour'`)
      await page.goto('/account/security')
      await looksRight('security-stale')
      await page.getByRole('link', { name: 'Remove the app…' }).click()
      await looksRight('confirm')
      await page.getByRole('textbox', { name: 'Code' }).fill(code(1))
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('button', { name: 'Remove the app' }).click()
      await page.getByText('This service asks you for a second factor').waitFor()
    },
  )

  test('sessions on other devices are listed and ended; pages work without scripts', { tags: 'long' }, async () => {
    await signUp('sessions@example.org')
    const other = await browser!.newContext({
      baseURL: system.url,
      javaScriptEnabled: false,
      userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1',
    })
    const phone = await other.newPage()
    await phone.goto('/sign-in')
    await phone.getByLabel('E-mail address').fill('sessions@example.org')
    await phone.getByLabel('Password').fill(password)
    await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
    await phone.goto(`${system.url.replace('127.0.0.1', 'localhost')}/sign-in`)
    await phone.getByText('Passkeys need JavaScript.').waitFor()
    await page.goto('/account/sessions')
    await page.getByRole('rowheader', { name: 'Safari on iPhone' }).waitFor()
    await looksRight('sessions')
    await page.getByRole('button', { name: 'End the session of Safari on iPhone' }).click()
    await page.getByText('1 session has ended.').waitFor()
    await phone.goto(`${system.url}/account`)
    expect(phone.url()).toContain('/sign-in')
    await other.close()
  })
})
