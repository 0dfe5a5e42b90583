import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'
import { xapiClient } from '../support/xapi.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('the sandbox', () => {
  let system: PortalSystem
  let studio: Studio
  let gameId: string
  let context: BrowserContext
  let page: Page
  const game = (): FrameLocator => page.frameLocator('#game')
  const counted = (what: string) => page.locator(`[data-count="${what}"]`).textContent()

  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
    gameId = await system.draft(studio, 'Star Trail')
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1400, height: 900 } })
    await context.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  test('shows what a test learner does, in words, as it happens', async () => {
    await page.goto(`/games/${gameId}/sandbox`)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Name of a new test learner').fill('Mara')
    await page.getByRole('button', { name: 'Start the session' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await playLevel(game(), 1, 3)
    const panel = page.getByRole('region', { name: 'Calls' })
    await panel.getByText('Mara completed Level 1: The Moon, 75 %').waitFor()
    await panel.getByText('PUT /xapi/activities/state').waitFor()
    expect(await counted('rejected')).toBe('0')
    expect(await violations(page)).toEqual([])
    await panel.getByText('Mara completed Level 1: The Moon').click()
    await panel.getByText('"scaled": 0.75').waitFor()
  })

  test('shows what was refused, why, and where; only that, on demand', async () => {
    const launch = JSON.parse((await page.locator('#game').getAttribute('data-launch'))!) as {
      endpoint: string
      auth: string
    }
    const statement = {
      verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'experienced' } },
      object: { id: 'https://x.example/a' },
    }
    const { request } = xapiClient(new URL(launch.endpoint).origin, launch.auth)
    const { status } = await request('POST', 'statements', {
      body: [statement, { ...statement, verb: { id: 'no iri', display: { en: '<img src=x onerror=alert(1)>' } } }],
    })
    expect(status).toBe(400)
    const rejected = page.locator('.event.rejected')
    await rejected.getByText('statements[1].verb.id', { exact: true }).waitFor()
    await rejected.getByText('400').waitFor()
    await rejected.getByText('Statement 2 of the request').click()
    await rejected.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Rejected').check()
    expect(await page.locator('.event:visible').count()).toBe(1)
    expect(await counted('rejected')).toBe('1')
    // what the gateway refuses by itself is told as well
    expect((await request('GET', 'statements', { query: { limit: 'many' } })).status).toBe(400)
    await page.locator('.event.rejected').nth(1).waitFor()
  })

  test('tells the same without scripts, and what came before', { tags: 'long' }, async () => {
    await using plain = await browser!.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    })
    const other = await plain.newPage()
    await other.goto(page.url())
    await other.getByText('Mara completed Level 1: The Moon, 75 %').waitFor()
    expect(await other.locator('.event.rejected').count()).toBe(2)
    expect(await other.getByRole('link', { name: 'Refresh' }).isVisible()).toBe(true)
  })

  test('starts again as the same learner, who goes on where it was', { tags: 'long' }, async () => {
    await page.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('Playing as Mara', { exact: false }).first().waitFor()
    await game()
      .getByRole('button', { name: /Level 2/ })
      .click()
    expect(await counted('rejected')).toBe('0')
    await page.goto(`/games/${gameId}/sandbox`)
    expect(await page.getByLabel('Who plays').locator('option').allTextContents()).toEqual([
      'A new test learner',
      'Mara',
    ])
  })

  test('a game on the own machine reports to the same panel', { tags: 'long' }, async () => {
    await page.getByRole('button', { name: 'Start the session' }).click()
    await page.getByText('Report from your own machine').click()
    const query = new URLSearchParams((await page.locator('#launch-query').textContent())!)
    const { post } = xapiClient(new URL(query.get('endpoint')!).origin, query.get('auth')!)
    await post({
      actor: JSON.parse(query.get('actor')!) as object,
      verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'tried' } },
      object: { id: 'https://x.example/a', definition: { name: { en: 'my machine' } } },
    })
    await page.getByText('Mara tried my machine').waitFor()
    await post({
      actor: JSON.parse(query.get('actor')!) as object,
      verb: { id: 'http://id.tincanapi.com/verb/skipped', display: { en: 'skipped' } },
      object: {
        id: 'https://x.example/intro',
        definition: { name: { en: 'Intro' }, type: 'https://w3id.org/xapi/seriousgames/activity-types/cutscene' },
      },
    })
    await page.getByText('“Intro” is skipped, but this session did not access it.').first().waitFor()
    await page.getByLabel('Warnings').check()
    expect(await page.locator('.event:visible').count()).toBe(1)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('All', { exact: true }).check()
  })

  test('a game without a build reports from the own machine, and the checklist ticks', { tags: 'long' }, async () => {
    const { gameId: draft } = await studio.on().games.createGame({ name: 'Night Trail' })
    const other = await context.newPage()
    await other.goto(`/games/${draft}`)
    await other.getByRole('heading', { name: 'Next: Describe your game' }).waitFor()
    await other.goto(`/games/${draft}/sandbox`)
    expect(await violations(other)).toEqual([])
    await other.getByRole('button', { name: 'Start a session for my machine' }).click()
    await other.getByText('Live', { exact: true }).waitFor()
    for (const summary of await other.locator('.own-machine summary').all()) await summary.click()
    expect(await violations(other)).toEqual([])
    const query = new URLSearchParams((await other.locator('#launch-query').textContent())!)
    expect(await other.locator('#launch-shell').textContent()).toContain(`export XAPI_AUTH='${query.get('auth')}'`)
    expect(await other.locator('#launch-powershell').textContent()).toContain(`$env:XAPI_AUTH = '${query.get('auth')}'`)
    const [download] = await Promise.all([
      other.waitForEvent('download'),
      other.getByText('Download launch.json').click(),
    ])
    const launch = JSON.parse(await readFile(await download.path(), 'utf8')) as object
    expect(launch).toMatchObject({ endpoint: query.get('endpoint'), registration: query.get('registration') })
    await xapiClient(new URL(query.get('endpoint')!).origin, query.get('auth')!).post({
      actor: JSON.parse(query.get('actor')!) as object,
      verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'tried' } },
      object: { id: 'https://x.example/a', definition: { name: { en: 'the first statement' } } },
    })
    await other.getByText('Test learner 1 tried the first statement').waitFor()
    await other.goto(`/games/${draft}/checklist`)
    await other.locator('.steps .done', { hasText: 'Make it report' }).waitFor()
    await other.close()
  })

  test('what another core writes late stands where it belongs', async () => {
    const event = { status: 200, message: '', path: '', reason: '', body: '' }
    const session = page.url().split('/').at(-1)!
    // after all that the game does meanwhile
    const now = Date.now() + 3_600_000
    for (const [request, at] of [
      ['GET /xapi/second', now + 2],
      ['GET /xapi/first', now + 1],
    ] as const)
      await system.cores[0]!.store.sandboxEvents.add(session, [{ ...event, request, at }])
    const shown = async () => (await page.locator('.event .request').allTextContents()).slice(0, 2)
    await expect.poll(shown).toEqual(['GET /xapi/second', 'GET /xapi/first'])
    await page.reload()
    expect(await shown()).toEqual(['GET /xapi/second', 'GET /xapi/first'])
  })

  test('a hidden page has no stream; what happened meanwhile comes when it is shown again', async () => {
    const { observers, store } = system.cores[0]!
    const hide = (hidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await expect.poll(observers.count).toBe(1)
    await hide(true)
    await expect.poll(observers.count).toBe(0)
    const event = { status: 200, message: '', path: '', reason: '', body: '', request: 'GET /xapi/meanwhile' }
    await store.sandboxEvents.add(page.url().split('/').at(-1)!, [{ ...event, at: Date.now() + 3_600_003 }])
    await hide(false)
    await page.getByText('GET /xapi/meanwhile').waitFor()
    // what came before is not shown again
    const requests = await page.locator('.event .request').allTextContents()
    expect(requests.filter((request) => request === 'GET /xapi/meanwhile')).toHaveLength(1)
    expect(await page.getByText('Live', { exact: true }).isVisible()).toBe(true)
  })

  test('fits on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await overflow(page)).toBe(0)
  })

  test('a package is started with launch.json, and reports to the same panel', { tags: 'long' }, async () => {
    await page.setViewportSize({ width: 1200, height: 800 })
    const { gameId } = await studio.on().games.createGame({ name: 'Deep Sea' })
    await system.upload(
      studio,
      UploadKind.DESKTOP_BUILD,
      'deep-sea.tar.gz',
      Buffer.from('\x1f\x8b\x08 a package', 'latin1'),
      gameId,
    )
    await page.goto(`/games/${gameId}/sandbox`)
    await page.getByRole('button', { name: 'Start the session' }).click()
    expect(await violations(page)).toEqual([])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download launch.json' }).click(),
    ])
    const launch = JSON.parse(await readFile(await file.path(), 'utf8')) as {
      endpoint: string
      auth: string
      activity_id: string
    }
    const { status } = await xapiClient(new URL(launch.endpoint).origin, launch.auth).post({
      verb: { id: 'http://adlnet.gov/expapi/verbs/initialized' },
      object: { id: launch.activity_id, definition: { name: { en: 'Deep Sea' } } },
    })
    expect(status).toBe(200)
    await page.getByText('Test learner 1 initialized Deep Sea').waitFor()
    const bytes = await fetch((await page.getByRole('link', { name: 'Download the game' }).getAttribute('href'))!)
    expect([bytes.status, bytes.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining('attachment; filename="deep-sea.tar.gz"'),
    ])
  })
})
