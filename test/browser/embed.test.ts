import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()

/** A site that shows what its address says in a frame; below /isolated it is isolated from other origins. */
async function startSite(): Promise<{ server: Server; port: number; show: (html: string) => void }> {
  let body = ''
  const server = createServer(({ url }, response) => {
    if (url === '/isolated') {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(`<!doctype html><title>School</title>${body}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: (server.address() as AddressInfo).port, show: (html) => (body = html) }
}

describe.skipIf(!browser)('a game in a frame of another site', () => {
  let system: PortalSystem
  let studio: Studio
  let gameId: string
  let slug: string
  let site: Awaited<ReturnType<typeof startSite>>
  let context: BrowserContext
  let page: Page
  // another site for browsers than the portal at 127.0.0.1
  const school = () => `http://localhost:${site.port}`
  const stranger = () => `http://other.localhost:${site.port}`
  const frame = (): FrameLocator => page.frameLocator('iframe')
  const game = (): FrameLocator => frame().frameLocator('#game')
  const list = (...embed: string[]) => studio.on().games.setPlayer({ gameId, player: { embed } })
  const verbs = async () => {
    const { game } = await studio.on().games.getGame({ gameId })
    const { json } = await system.connections[0]!.as('Bearer service-token-of-the-tests-0123456789', {
      'x-lrs-credential': game!.credential!.key,
      'x-experience-api-version': '1.0.3',
    }).statements.queryStatements({ ascending: true, limit: 500 })
    return json
      .map(
        (bytes) =>
          JSON.parse(Buffer.from(bytes).toString()) as { actor: { name: string }; verb: { display: { en: string } } },
      )
      .map(({ actor, verb }) => `${actor.name} ${verb.display.en}`)
  }
  const play = async (name: string) => {
    await frame().getByLabel('What do you want to be called?').fill(name)
    await frame().getByRole('button', { name: 'Play' }).click()
    await game().getByText(`Playing as ${name}.`).waitFor()
  }

  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
    ;({ gameId, slug } = await system.publish(studio, 'Star Trail'))
    site = await startSite()
    site.show(`<iframe src="${system.url}/embed/${slug}" width="900" height="600"></iframe>`)
  })
  afterAll(async () => {
    await browser?.close()
    await new Promise((done) => site.server.close(done))
    await system.close()
  })
  beforeEach(async () => {
    context = await browser!.newContext({ viewport: { width: 1000, height: 700 } })
    page = await context.newPage()
    await list(school())
  })
  afterEach(() => context.close())

  test('is shown by the snippet of its studio, plays, and its statements are stored', async () => {
    await context.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    await page.goto(`${system.url}/games/${gameId}/player`)
    await page.getByLabel('Sites that may show the game in a frame').fill(`${school()}/\nhttps://school.example`)
    await page.getByRole('button', { name: 'Save' }).click()
    const snippet = (await page.locator('#snippet').textContent())!
    expect(snippet).toContain(`src="${system.url}/embed/${slug}"`)
    expect(snippet).toContain('allow="fullscreen; gamepad"')
    expect(await violations(page)).toEqual([])
    site.show(snippet)
    await page.goto(school())
    await play('Ada')
    // what the snippet allows reaches the game
    const inner = page.frames().find((one) => one.url().includes('/b/'))!
    expect(await inner.evaluate('document.fullscreenEnabled')).toBe(true)
    await playLevel(game(), 1, 4)
    await expect.poll(verbs).toContain('Ada completed')
    await frame().getByRole('button', { name: 'Leave' }).click()
    await frame().locator('.child h1').waitFor()
    await frame().getByRole('img', { name: '3 of 3 stars' }).waitFor()
    await expect.poll(verbs).toContain('Ada terminated')
    site.show(`<iframe src="${system.url}/embed/${slug}" width="900" height="600"></iframe>`)
  })

  test('is refused by the browser in a site that is not listed, and everywhere if none is', async () => {
    const refused = async (at: string) => {
      const said = page.waitForEvent('console', { predicate: (one) => one.text().includes('frame-ancestors') })
      await page.goto(at)
      await said
      return page.frames().some((one) => one.url().startsWith(system.url))
    }
    expect(await refused(stranger())).toBe(false)
    await page.goto(school())
    await frame().getByRole('button', { name: 'Play' }).waitFor()
    await list()
    expect(await refused(school())).toBe(false)
  })

  test('is the only page that may be in a frame', async () => {
    await list('https://school.example')
    const policyOf = async (path: string) =>
      /frame-ancestors ([^;]*)/.exec((await fetch(system.url + path)).headers.get('content-security-policy')!)![1]
    expect(await policyOf(`/embed/${slug}`)).toBe('https://school.example')
    for (const path of [
      '/',
      `/g/${slug}`,
      `/play/${slug}`,
      `/play/${slug}/end`,
      '/sign-in',
      '/embed/nothing',
      '/nowhere',
    ])
      expect(await policyOf(path), path).toBe("'none'")
  })

  test(
    'uses no cookie: a reload goes on with the session, and after leaving the next learner begins',
    { tags: 'long' },
    async () => {
      await page.goto(school())
      await play('Bo')
      expect(await context.cookies()).toEqual([])
      await page.reload()
      await game().getByText('Playing as Bo.').waitFor()
      // the frame alone, too: no form is sent again
      const loaded = page.waitForResponse((one) => one.url().endsWith('/game') && one.request().method() === 'POST')
      await page
        .frames()
        .find((one) => one.url().includes('/embed/'))!
        .evaluate('setTimeout(() => location.reload())')
      await loaded
      await game().getByText('Playing as Bo.').waitFor()
      expect(await system.database.sql(`select from learner where name = 'Bo'`)).toHaveLength(1)
      await frame().getByRole('button', { name: 'Leave' }).click()
      await frame().getByRole('link', { name: 'Play again' }).click()
      await frame().getByLabel('What do you want to be called?').waitFor()
      await page.reload()
      await frame().getByLabel('What do you want to be called?').waitFor()
      expect(await frame().getByText('Bo').count()).toBe(0)
      expect(await context.cookies()).toEqual([])
    },
  )

  test('where the browser forbids storage in frames, it is played all the same', { tags: 'long' }, async () => {
    await context.addInitScript(
      `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
    )
    await page.goto(school())
    await play('Cy')
    await page.reload()
    await frame().getByLabel('What do you want to be called?').waitFor()
  })

  test('a session that has ended is not gone on with; what fails is said in the frame', { tags: 'long' }, async () => {
    await page.goto(school())
    await play('Di')
    await system.database.sql(`update launch set expires = now() - interval '1 minute'`)
    await page.reload()
    await frame().getByText('The session has ended. Start again').waitFor()
    await page.reload()
    expect(await frame().getByText('The session has ended').count()).toBe(0)
    await frame().getByLabel('What do you want to be called?').fill(' ')
    await frame().getByRole('button', { name: 'Play' }).click()
    await frame().getByRole('alert').getByText('This name does not work').waitFor()
  })

  test('on a phone it fits into its frame, and axe finds nothing', { tags: 'long' }, async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    // alone in a window it is the same page
    await page.goto(`${system.url}/embed/${slug}`)
    expect([await overflow(page), await violations(page)]).toEqual([0, []])
    expect(await page.getByRole('banner').count()).toBe(0)
    await page.getByLabel('What do you want to be called?').fill('Ed')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.frameLocator('#game').getByText('Playing as Ed.').waitFor()
    expect([await overflow(page), await violations(page)]).toEqual([0, []])
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.locator('.child h1').waitFor()
    expect([await overflow(page), await violations(page)]).toEqual([0, []])
  })

  test('an isolated game is isolated where the site around it is', { tags: 'long' }, async () => {
    await studio.on().games.setPlayer({ gameId, player: { isolated: true, embed: [school()] } })
    const at = `<iframe src="${system.url}/embed/${slug}" width="900" height="600" allow="cross-origin-isolated"></iframe>`
    site.show(at)
    const isIsolated = () =>
      page
        .frames()
        .find((one) => one.url().includes('/i/'))!
        .evaluate('crossOriginIsolated')
    await page.goto(`${school()}/isolated`)
    await play('Flo')
    expect(await isIsolated()).toBe(true)
    await page.goto(school())
    await game().getByText('Playing as Flo.').waitFor()
    expect(await isIsolated()).toBe(false)
    site.show(`<iframe src="${system.url}/embed/${slug}" width="900" height="600"></iframe>`)
  })

  test(
    'an invitation in the address is its learner, also in a tab that another one has played in',
    { tags: 'long' },
    async () => {
      const { launches } = studio.on()
      const invite = async (learnerName: string) => (await launches.createInvitation({ gameId, learnerName })).code
      for (const name of ['Hal', 'Ida']) {
        const code = await invite(name)
        site.show(`<iframe src="${system.url}/embed/${slug}?invitation=${code}" width="900" height="600"></iframe>`)
        await page.goto(school())
        await frame().getByText(`Hello ${name}`).waitFor()
        await frame().getByRole('button', { name: 'Play' }).click()
        await game().getByText(`Playing as ${name}.`).waitFor()
      }
      await page.reload()
      await game().getByText('Playing as Ida.').waitFor()
      site.show(`<iframe src="${system.url}/embed/${slug}" width="900" height="600"></iframe>`)
    },
  )
})
