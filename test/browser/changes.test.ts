import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { overflow, startBrowser } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!browser)('changes of a published game', () => {
  let system: PortalSystem
  let fox: Studio
  let gameId: string
  let slug: string
  const contexts: BrowserContext[] = []

  const visitor = async (studio?: Studio): Promise<Page> => {
    const context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1200, height: 900 } })
    contexts.push(context)
    if (studio)
      await context.addCookies([
        { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
      ])
    return context.newPage()
  }
  let page: Page
  let desk: Page
  let guest: Page

  beforeAll(async () => {
    system = await startPortalSystem()
    fox = await system.studio('Blue Fox')
    ;({ gameId, slug } = await system.publish(fox, 'Star Trail'))
    ;[page, desk, guest] = await Promise.all([
      visitor(fox),
      visitor(await system.studio('Wise Owl', { reviewer: true })),
      visitor(),
    ])
  })
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    await browser?.close()
    await system.close()
  })
  const rename = async (name: string) => {
    await page.goto(`/games/${gameId}/edit`)
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
  }

  test('wait for a reviewer, who sees old and new side by side, on a phone too', async () => {
    await rename('Moon Trail')
    await page.getByText('Changes are not public yet.').waitFor()
    const fileId = await system.upload(fox, UploadKind.GALLERY_IMAGE, 'moon.png', png, gameId)
    await page.goto(`/games/${gameId}/builds`)
    await page.getByRole('link', { name: 'Submit for review' }).first().click()
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByText('Changes are waiting for review.').waitFor()
    await guest.goto(`/g/${slug}`)
    await guest.getByRole('heading', { name: 'Star Trail' }).waitFor()
    expect((await guest.goto(`/media/files/${fileId}`))!.status()).toBe(404)

    await desk.goto('/reviews')
    await desk.getByRole('link', { name: 'Moon Trail' }).click()
    const changes = desk.getByRole('region', { name: 'What players would read and see' })
    const sides = await changes.locator('.compared').first().locator('.side').allInnerTexts()
    expect(sides.map((side) => side.split(/\s*\n\s*/))).toEqual([
      ['Public now', 'Star Trail'],
      ['Changed to', 'Moon Trail'],
    ])
    await expect
      .poll(() =>
        changes
          .getByRole('img', { name: 'moon.png' })
          .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
      )
      .toBe(1)
    const same =
      'Summary, Description, Consent text, Subject, age, language, time, Language of the texts, Texts in other languages, Teaching notes'
    expect(await changes.getByText(`Unchanged: ${same}.`).count()).toBe(1)
    await desk.setViewportSize({ width: 360, height: 740 })
    expect(await overflow(desk)).toBe(0)
    const [old, now] = await changes
      .locator('.compared')
      .first()
      .locator('.side')
      .evaluateAll((all) => all.map((side) => (side as unknown as { offsetTop: number }).offsetTop))
    expect(now).toBeGreaterThan(old!)
    await desk.getByRole('button', { name: 'Reject' }).click()
    await desk.getByRole('alert').first().waitFor()
    await desk.getByLabel('Note for the studio').fill('The Moon is no star.')
    await desk.getByRole('button', { name: 'Reject' }).click()
    await desk.getByText('The game is rejected.').waitFor()
  })

  test('are edited and accepted after a rejection', { tags: 'long' }, async () => {
    await page.goto(`/games/${gameId}/builds`)
    await page.getByText('The changes were rejected.').waitFor()
    await page.getByText('The Moon is no star.').first().waitFor()
    await rename('Sun Trail')
    await page.goto(`/games/${gameId}/submit`)
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await desk.goto(`/reviews/${gameId}`)
    await rename('Casino')
    await desk.getByRole('button', { name: 'Approve and publish' }).click()
    await desk.getByText('have changed').waitFor()
    await rename('Sun Trail')
    await desk.goto(`/reviews/${gameId}`)
    await desk.getByRole('button', { name: 'Approve and publish' }).click()
    await desk.getByText('The game is approved.').waitFor()
    await guest.goto(`/g/${slug}`)
    await guest.getByRole('heading', { name: 'Sun Trail' }).waitFor()
  })

  test('are discarded', { tags: 'long' }, async () => {
    await rename('Casino')
    await page.getByRole('link', { name: 'See or discard the changes' }).click()
    await page.getByRole('button', { name: 'Discard the changes' }).click()
    await page.getByText('Changes discarded.').waitFor()
    await page.getByRole('link', { name: 'Sun Trail' }).waitFor()
    expect(await page.getByText('Changes are not public yet.').count()).toBe(0)
  })

  test('of the profile of its studio wait as well', { tags: 'long' }, async () => {
    await page.goto('/studio')
    await page.getByLabel('Name').fill('Casino')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes are waiting for review.').waitFor()
    await guest.goto(`/studios/${fox.slug}`)
    await guest.getByRole('heading', { name: 'Blue Fox', level: 1 }).waitFor()
    await desk.goto('/reviews')
    await desk.getByRole('link', { name: 'Blue Fox' }).click()
    await desk.getByLabel('Note for the studio').fill('This is no casino.')
    await desk.getByRole('button', { name: 'Reject' }).click()
    await desk.getByText('The profile is rejected.').waitFor()
    await page.goto('/studio')
    await page.getByText('This is no casino.').waitFor()
    await page.getByRole('button', { name: 'Discard the changes' }).click()
    await page.getByText('Changes discarded.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Blue Fox')
  })
})
