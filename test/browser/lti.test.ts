import type { Browser, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claim } from '../../core/connections/rules/lti-claims.ts'
import { startBrowser } from '../support/browser.ts'
import { membership, startPlatform, type TestPlatform } from '../support/lti.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { addStudio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('in a frame of a course', () => {
  let system: PortalSystem
  let platform: TestPlatform
  let schoolId: string
  let slug: string
  /** By this name the portal is no secure context: no cookie of it comes in frames of others. */
  let plain: string
  beforeAll(async () => {
    ;[system, platform] = await Promise.all([startPortalSystem(), startPlatform()])
    plain = `http://games.test:${system.portal.port}`
    slug = (await system.publish(await system.studio('Blue Fox'), 'Quiz')).slug
    const school = await addStudio(system, 'Oak School', { kind: 'school' })
    await school.on().lti.addPlatform({ platform: platform.settings() })
    ;({ schoolId } = await school.on().lti.listPlatforms({}))
  })
  afterAll(() => Promise.all([browser!.close(), system.close(), platform.close()]))

  async function course(portal: string, more: Record<string, string>): Promise<{ page: Page; frame: FrameLocator }> {
    const page = await (await browser!.newContext()).newPage()
    const asked = { iss: platform.issuer, login_hint: 'h', target_link_uri: `${portal}/lti/launch`, ...more }
    platform.state.login = `${portal}/lti/login/${schoolId}?${new URLSearchParams(asked).toString()}`
    await page.goto(`${platform.issuer}/course`)
    return { page, frame: page.frameLocator('iframe') }
  }
  const inStorage = { lti_storage_target: '_parent' }

  test('the storage of the platform shows who began; the game starts, and goes on after a reload', async () => {
    platform.state.more = { [claim.custom]: { game: slug } }
    const { frame } = await course(plain, inStorage)
    await frame.getByRole('button', { name: 'Play' }).click()
    await frame.locator('iframe').waitFor()
    const before = await frame.locator('#end [name=session]').getAttribute('value')
    await frame.locator('html').evaluate('location.reload()')
    await expect
      .poll(() => frame.locator('#end [name=session]').getAttribute('value', { timeout: 20_000 }), { timeout: 30_000 })
      .toBe(before)
  })

  test('without a storage a cookie shows it, and without one a tab opens', async () => {
    platform.state.more = { [claim.custom]: { game: slug } }
    await (await course(system.url, {})).frame.getByRole('button', { name: 'Play' }).waitFor()
    const { page, frame } = await course(plain, {})
    const opened = page.context().waitForEvent('page')
    await frame.getByRole('link', { name: 'Open in a new tab' }).click()
    await (await opened).waitForURL(`${plain}/lti/launch`)
  })

  test('a teacher picks, and comes back to the platform', async () => {
    platform.state.more = {
      [claim.type]: 'LtiDeepLinkingRequest',
      [claim.roles]: [membership('Instructor')],
      [claim.picking]: { deep_link_return_url: `${platform.issuer}/none`, accept_types: ['ltiResourceLink'] },
    }
    const { page, frame } = await course(plain, inStorage)
    await frame.getByRole('button', { name: 'Choose Quiz' }).click()
    const returned = page.waitForRequest((request) => request.url() === `${platform.issuer}/none`)
    await frame.getByRole('button', { name: 'Make the link' }).click()
    expect((await returned).postData()).toMatch(/^JWT=/)
  })
})
