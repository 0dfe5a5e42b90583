import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildQuiz } from '../../examples/quiz/build.ts'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { cuttable } from '../support/cuttable.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()
const MiB = 2 ** 20
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!browser)('uploads', () => {
  let system: PortalSystem
  let studio: Studio
  let folder: string
  let context: BrowserContext
  let page: Page
  let errors: string[]

  beforeAll(async () => {
    system = await startPortalSystem()
    folder = await mkdtemp(join(tmpdir(), 'lrs-upload-'))
    await buildQuiz(join(folder, 'quiz.zip'))
    // three parts
    await writeFile(
      join(folder, 'quest.zip'),
      Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(40 * MiB, 7)]),
    )
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
    await system.close()
  })
  beforeEach(async () => {
    studio = await system.studio('Blue Fox')
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1200, height: 800 } })
    await context.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    // parts of 16 MB go through the browser's hands
    page = await context.newPage()
    errors = []
    page.on('pageerror', ({ message }) => errors.push(message))
  })
  afterEach(async () => {
    await context.close()
    if (errors.length > 0) throw new Error(`Scripts of the page failed: ${errors.join('; ')}`)
  })

  const newGame = async (name: string) => (await studio.on().games.createGame({ name })).gameId
  const buildOf = async (gameId: string) => (await studio.on().games.getGame({ gameId })).game!.staged

  test('a game is made and gets its build; what does not fit is named with its rule', async () => {
    await page.goto('/games')
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'New game' }).click()
    await page.getByLabel('Name').fill('Star <b>Trail</b>')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('link', { name: 'Star <b>Trail</b>' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Upload', exact: true }).click()
    await page
      .getByLabel('Browser build')
      .setInputFiles({ name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04 no zip') })
    await page.getByRole('alert').getByText('zip').first().waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.getByRole('link', { name: 'Read the rule' }).getAttribute('href')).toMatch(/^\/packaging#/)
    await page.getByLabel('Browser build').setInputFiles(join(folder, 'quiz.zip'))
    await page.getByText('The build was checked and is staged').waitFor()
    expect(await buildOf(page.url().match(/[\da-f-]{36}/)![0])).toMatchObject({ fileName: 'quiz.zip' })
    expect(await violations(page)).toEqual([])
  })

  test(
    'what cannot be taken is said once and at once: a wrong name, too many builds in a day',
    { tags: 'long' },
    async () => {
      const gameId = await newGame('Quest')
      const asked: string[] = []
      page.on('request', (request) => request.method() !== 'GET' && asked.push(request.url()))
      await page.goto(`/games/${gameId}/upload`)
      await page.getByText('a browser build replaces a desktop build, and the other way round').waitFor()
      await page
        .getByLabel('Browser build')
        .setInputFiles({ name: 'games-lrs.js', mimeType: 'text/javascript', buffer: Buffer.from('PK') })
      await page.getByRole('alert').getByText('games-lrs.js does not end in .zip').waitFor()
      expect(await page.getByRole('link', { name: 'Read the rule' }).getAttribute('href')).toBe('/packaging#zip')
      expect(asked).toEqual([])

      await page.route('**/uploads', (route) =>
        route.fulfill({ status: 429, json: { error: 'Too many builds today.', link: '/packaging#uploads' } }),
      )
      await page.getByLabel('Browser build').setInputFiles(join(folder, 'quiz.zip'))
      await page.getByText('Too many builds today.').waitFor()
      expect(await page.getByText('Too many builds today.').count()).toBe(1)
      expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
      expect(await page.getByLabel('Browser build').isVisible()).toBe(true)
      expect(await violations(page)).toEqual([])
    },
  )

  test('a file that is chosen before the script has come is taken when it comes', { tags: 'long' }, async () => {
    const gameId = await newGame('Slow line')
    let send = (): void => {}
    const asked = new Promise<void>((done) => (send = done))
    await page.route('**/upload.js*', async (route) => (await asked, await route.continue()))
    await page.goto(`/games/${gameId}/upload`, { waitUntil: 'commit' })
    await page.getByLabel('Browser build').setInputFiles(join(folder, 'quiz.zip'))
    send()
    await page.getByText('The build was checked and is staged').waitFor()
    await page.unroute('**/upload.js*')
  })

  test('a lost connection costs what was on its way; the rest goes on by itself', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    const way = await cuttable(system.portal.port)
    try {
      await page.goto(`${way.url}/games/${gameId}/upload`)
      way.cutAfter(20 * MiB)
      await page.getByLabel('Desktop package').setInputFiles(join(folder, 'quest.zip'))
      await page.getByText('Connection lost').waitFor()
      way.mend()
      await page.waitForURL(/done=staged/)
      expect(await buildOf(gameId)).toMatchObject({ fileName: 'quest.zip', size: BigInt(40 * MiB + 4) })
    } finally {
      await way.close()
    }
  })

  test('after a reload the same file goes on where it stopped', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    const way = await cuttable(system.portal.port)
    const asked: string[] = []
    page.on(
      'request',
      (request) =>
        request.method() !== 'GET' &&
        asked.push(
          `${request.method()} ${new URL(request.url()).pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…')}`,
        ),
    )
    try {
      await page.goto(`${way.url}/games/${gameId}/upload`)
      way.cutAfter(36 * MiB)
      await page.getByLabel('Desktop package').setInputFiles(join(folder, 'quest.zip'))
      await page.getByText('Connection lost').waitFor()
      way.mend()
      await page.getByRole('button', { name: 'Pause' }).click()
      page.once('dialog', (dialog) => void dialog.accept())
      await page.goto(`${way.url}/games/${gameId}/upload`)
      await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor()
      expect(await violations(page)).toEqual([])
      asked.length = 0
      await page.getByLabel('Desktop package').setInputFiles(join(folder, 'quest.zip'))
      await page.waitForURL(/done=staged/)
      expect(asked[0]).toBe('POST /uploads/…/resume')
      expect(asked).not.toContain('POST /games/…/uploads')
      expect(asked.filter((request) => request.startsWith('PUT')).length).toBeLessThan(3)
    } finally {
      await way.close()
    }
  })

  test('an upload is cancelled, and its room is free again', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    await page.route('**/storage/**', () => {})
    await page.goto(`/games/${gameId}/upload`)
    await page.getByLabel('Browser build').setInputFiles(join(folder, 'quiz.zip'))
    await page.getByText('0 % sent').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Browser build').waitFor()
    await expect.poll(async () => (await studio.on().uploads.listUploads({ gameId })).uploads).toEqual([])
  })

  test('images change places without a script; the first one is the cover', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    for (const fileName of ['one.png', 'two.png', 'three.png'])
      await system.upload(studio, UploadKind.GALLERY_IMAGE, fileName, png, gameId)
    const order = async () =>
      (await studio.on().games.getGame({ gameId })).game!.gallery.map(({ fileName }) => fileName)
    await using plain = await browser!.newContext({
      baseURL: system.url,
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    })
    const other = await plain.newPage()
    await other.goto(`/games/${gameId}/media`)
    expect(await other.getByRole('button', { name: /^Move/ }).allTextContents()).toHaveLength(4)
    await other.getByRole('button', { name: 'Move three.png earlier' }).click()
    await other.getByText('Image moved.').waitFor()
    expect(await order()).toEqual(['one.png', 'three.png', 'two.png'])
    await other.getByRole('button', { name: 'Move one.png later' }).click()
    await expect.poll(order).toEqual(['three.png', 'one.png', 'two.png'])
    const { game } = await studio.on().games.getGame({ gameId })
    expect(game!.summary!.cover).toBe(game!.gallery[0]!.storageKey)
    await system.upload(studio, UploadKind.GALLERY_IMAGE, 'four.png', png, gameId)
    expect(await order()).toEqual(['three.png', 'one.png', 'two.png', 'four.png'])
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(`/games/${gameId}/media`)
    expect([await overflow(page), await violations(page)]).toEqual([0, []])
  })

  test('on a slow line parts go one after the other', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    await page.goto(`/games/${gameId}/upload`)
    // parts of a few bytes: those of 16 MB would go through the debugger
    await page.route('**/games/*/uploads', async (route) => {
      const response = await route.fetch()
      const upload = await response.json()
      await route.fulfill({
        response,
        json: { ...upload, missing: upload.missing.map((part: object) => ({ ...part, size: 10 })) },
      })
    })
    let [slow, at, most] = [0, 0, 0]
    const taken: string[] = []
    await page.route('**/storage/**', async (route) => {
      if (slow < 3) {
        slow++
        return route.fulfill({ status: 408, json: { error: 'This part came too slowly. Send it again.' } })
      }
      most = Math.max(most, ++at)
      taken.push(route.request().url())
      await new Promise((done) => setTimeout(done, 100))
      at--
      await route.fulfill({ status: 200, json: {} })
    })
    await page.getByLabel('Browser build').setInputFiles(join(folder, 'quest.zip'))
    // every part was sent, though to nowhere
    await page.getByText('Not all of the file has arrived').waitFor()
    expect([slow, new Set(taken).size, taken.length, most]).toEqual([3, 3, 3, 1])
  })

  test('images get a text, documents a title; both can be removed', { tags: 'long' }, async () => {
    const gameId = await newGame('Quest')
    await page.goto(`/games/${gameId}/media`)
    await page.getByLabel('Add an image').setInputFiles({ name: 'map.png', mimeType: 'image/png', buffer: png })
    await page.getByLabel('What the image shows').fill('A map "with" <b>')
    await page.getByRole('button', { name: 'Save text of map.png' }).click()
    await page.getByText('Saved.').waitFor()
    const image = page.getByRole('img', { name: 'A map "with" <b>' })
    expect(await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(1)
    await page
      .getByLabel('Add a document')
      .setInputFiles({ name: 'Plan.md', mimeType: 'text/markdown', buffer: Buffer.from('# <script>alert(1)</script>') })
    await page.getByRole('link', { name: 'Plan.md' }).waitFor()
    const answer = await page.request.get((await page.getByRole('link', { name: 'Plan.md' }).getAttribute('href'))!)
    expect(answer.headers()['content-disposition']).toBe('attachment; filename=Plan.md')
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Add an image').setInputFiles({
      name: 'evil.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    })
    await page.getByRole('link', { name: 'Read the rule' }).waitFor()
    await page.getByRole('button', { name: 'Remove map.png' }).click()
    await page.getByText('File removed.').waitFor()
    expect(await image.count()).toBe(0)
  })

  test('review, publication and the secret that is shown once', { tags: 'long' }, async () => {
    const gameId = await system.draft(studio, 'Star Trail')
    const reviewer = await system.studio('Wise Owl', { reviewer: true })
    await page.goto(`/games/${gameId}/submit`)
    await page.getByLabel('For the reviewer').fill('Level 3 is hard.')
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByText('Submitted. Waiting for review.').waitFor()

    const other = await browser!.newContext({ baseURL: system.url })
    await other.addCookies([
      { name: 'session', value: reviewer.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    const desk = await other.newPage()
    await desk.goto('/reviews')
    expect(await violations(desk)).toEqual([])
    await desk.getByRole('link', { name: 'Star Trail' }).click()
    await desk.getByText('Level 3 is hard.').waitFor()
    expect(await violations(desk)).toEqual([])
    await desk.getByRole('link', { name: 'Try it in the sandbox' }).click()
    await desk.getByRole('button', { name: 'Start the session' }).click()
    await desk
      .frameLocator('#game')
      .getByRole('button', { name: /Level 1/ })
      .waitFor()
    await desk.getByRole('link', { name: 'Star Trail' }).click()
    await desk.getByRole('button', { name: 'Reject' }).click()
    await desk.getByRole('alert').getByText('must say why').waitFor()
    await desk.getByLabel('Note for the studio').fill('Lovely.')
    await desk.getByRole('button', { name: 'Approve and publish' }).click()
    await desk.getByText('The game is approved.').waitFor()
    await other.close()

    await page.goto(`/games/${gameId}/builds`)
    await page.getByText('Lovely.').waitFor()
    await page.getByRole('link', { name: 'Checklist' }).first().click()
    await page.getByRole('link', { name: 'Show the secret' }).click()
    await page.getByRole('button', { name: 'Show the secret' }).click()
    const [key, secret] = [await page.locator('#key-text').innerText(), await page.locator('#secret-text').innerText()]
    expect(await violations(page)).toEqual([])
    const status = (secret: string) =>
      fetch(`${system.urls[0]}/xapi/statements?limit=1`, {
        headers: { authorization: `Basic ${btoa(`${key}:${secret}`)}`, 'x-experience-api-version': '1.0.3' },
      }).then(({ status }) => status)
    expect(await status(secret)).toBe(200)
    expect(await page.locator('#endpoint-text').innerText()).toBe(`${system.urls[0]}/xapi/`)
    await page.reload()
    await page.getByText('rotate it for a new one').waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('link', { name: 'Rotate…' }).click()
    await page.getByRole('button', { name: 'Rotate and show the new secret' }).click()
    const renewed = await page.locator('#secret-text').innerText()
    expect([await status(secret), await status(renewed)]).toEqual([401, 200])
    await page.reload()
    expect(await page.content()).not.toContain(renewed)
    expect(await status(renewed)).toBe(200)

    await page.setViewportSize({ width: 390, height: 800 })
    for (const path of [
      '/',
      '/g/star-trail',
      '/games',
      `/games/${gameId}`,
      `/games/${gameId}/credential`,
      `/games/${gameId}/edit`,
      '/limits',
      '/packaging',
    ]) {
      await page.goto(path)
      expect([path, await overflow(page), await violations(page)]).toEqual([path, 0, []])
    }
  })
})
