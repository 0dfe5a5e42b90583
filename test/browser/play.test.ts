import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { addGame } from '../support/games.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { playLevel } from '../support/quiz.ts'
import { tokens } from '../support/system.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('the player', () => {
  let system: PortalSystem
  let studio: Studio
  let gameId: string
  let slug: string
  let context: BrowserContext
  let page: Page
  const game = (): FrameLocator => page.frameLocator('#game')
  const signIn = () =>
    context.addCookies([{ name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' }])

  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
    ;({ gameId, slug } = await system.publish(studio, 'Star Trail'))
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })
  beforeEach(async () => {
    context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1200, height: 800 } })
    page = await context.newPage()
  })
  afterEach(() => context.close())

  const stored = async () => {
    const { game } = await studio.on().games.getGame({ gameId })
    const { json } = await system.connections[0]!.as('Bearer service-token-of-the-tests-0123456789', {
      'x-lrs-credential': game!.credential!.key,
      'x-experience-api-version': '1.0.3',
    }).statements.queryStatements({ ascending: true, limit: 500 })
    return json.map(
      (bytes) =>
        JSON.parse(Buffer.from(bytes).toString()) as {
          actor: { name: string; account: { name: string } }
          verb: { display: { en: string } }
          result?: { score?: { scaled: number } }
        },
    )
  }

  test('a remembered learner leaves, comes back as the same one, and goes on where they were', async () => {
    await page.goto(`/play/${slug}`)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('What do you want to be called?').fill('Ada <b>')
    await page.getByLabel('Remember me on this device').check()
    await page.getByRole('button', { name: 'Play' }).click()
    await playLevel(game(), 1, 4)
    await game().getByText('Connected').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.locator('.child h1').waitFor()
    expect(await violations(page)).toEqual([])
    // the session ends when the game has sent what was left
    await expect.poll(async () => (await stored()).map(({ verb }) => verb.display.en)).toContain('terminated')
    await page.getByRole('link', { name: 'Play again' }).click()
    await page.getByText('Are you Ada <b>?').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Yes, continue' }).click()
    await game()
      .getByRole('button', { name: /Level 2/ })
      .click()
    const statements = await stored()
    expect(new Set(statements.map(({ actor }) => actor.account.name)).size).toBe(1)
    expect(statements.find(({ verb }) => verb.display.en === 'completed')).toMatchObject({
      actor: { name: 'Ada <b>' },
      result: { score: { scaled: 1 } },
    })
  })

  test(
    'a remembered learner takes the own data and asks for its erasure, and takes that back',
    { tags: 'long' },
    async () => {
      await page.goto(`/play/${slug}`)
      await page.getByLabel('What do you want to be called?').fill('Eve <i>')
      await page.getByLabel('Remember me on this device').check()
      await page.getByRole('button', { name: 'Play' }).click()
      await playLevel(game(), 1, 4)
      await game().getByText('Connected').waitFor()
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.goto(`/play/${slug}`)
      await page.getByRole('link', { name: 'Your data in this game' }).click()
      await page.locator('summary', { hasText: 'of the game' }).click()
      await page.getByText('Eve <i> completed').first().waitFor()
      expect(await violations(page)).toEqual([])
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Take my data' }).click(),
      ])
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
      expect(JSON.parse(lines[0]!)).toMatchObject({ kind: 'learner', account: { name: 'Eve <i>' } })
      await page.getByRole('button', { name: 'Ask for the erasure' }).focus()
      await page.getByLabel(/I am Eve <i>/).check()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Keep my data' }).waitFor()
      expect(await violations(page)).toEqual([])
      await signIn()
      await page.goto(`/games/${gameId}/learners`)
      await page.getByRole('link', { name: 'Decide on the request of Eve <i>' }).click()
      expect(await violations(page)).toEqual([])
      await context.clearCookies({ name: 'session' })
      await page.goto(`/play/${slug}/data`)
      await page.getByRole('button', { name: 'Keep my data' }).click()
      await page.getByText('Your data stays.').waitFor()
    },
  )

  test(
    'the next learner at a computer is not offered to play on, and ends what was left running',
    { tags: 'long' },
    async () => {
      await page.goto(`/play/${slug}`)
      await page.getByLabel('What do you want to be called?').fill('Cleo')
      await page.getByRole('button', { name: 'Play' }).click()
      await game().getByText('Playing as Cleo.').waitFor()
      const { endpoint, auth } = JSON.parse((await page.locator('#game').getAttribute('data-launch'))!) as Record<
        'endpoint' | 'auth',
        string
      >
      const status = async () => {
        const headers = { authorization: auth, 'x-experience-api-version': '1.0.3' }
        return (await fetch(`${endpoint}statements?limit=1`, { headers })).status
      }
      expect(await status()).toBe(200)
      await page.goto(`/play/${slug}`)
      expect(await page.getByText('Cleo').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
      await page.getByLabel('What do you want to be called?').fill('Dan')
      await page.getByRole('button', { name: 'Play' }).click()
      await game().getByText('Playing as Dan.').waitFor()
      expect(await status()).toBe(401)
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.getByText('This computer does not remember you').waitFor()
      await page.goto(`/play/${slug}/game`)
      await page.getByLabel('What do you want to be called?').waitFor()
    },
  )

  test('an invitation is one learner, whichever browser it is opened in', { tags: 'long' }, async () => {
    await signIn()
    await page.goto(`/games/${gameId}/invitations`)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Name of the learner').fill('Grace')
    await page.getByRole('button', { name: 'Make a link' }).click()
    const link = await page.locator('#link').textContent()
    expect(await violations(page)).toEqual([])
    const learners = new Set<string>()
    for (let turn = 0; turn < 2; turn++) {
      await using other = await browser!.newContext()
      const guest = await other.newPage()
      await guest.goto(link!)
      await guest.getByText('Hello Grace').waitFor()
      await guest.getByRole('button', { name: 'Play' }).click()
      const launch = JSON.parse((await guest.locator('#game').getAttribute('data-launch'))!) as {
        actor: { account: { name: string } }
      }
      learners.add(launch.actor.account.name)
    }
    expect(learners.size).toBe(1)
    await page.goto(`/games/${gameId}/invitations`)
    await page.getByRole('link', { name: 'End the invitation of Grace' }).click()
    await page.getByRole('button', { name: 'End the invitation' }).click()
    await page.getByText('You can undo that for a day').waitFor()
    await page.goto(link!)
    await page.getByText('There is nothing here, or it has ended.').waitFor()
  })

  async function fillsWindow(viewport: { width: number; height: number }, frame: typeof viewport): Promise<void> {
    await page.setViewportSize(viewport)
    await page.goto(`/play/${slug}`)
    // a learner needs no account
    expect(await page.getByRole('link', { name: /Sign/ }).count()).toBe(0)
    await page.getByLabel('What do you want to be called?').fill('Ada')
    const play = page.getByRole('button', { name: 'Play' })
    const seen = (await play.boundingBox())!
    expect(seen.y + seen.height).toBeLessThanOrEqual(viewport.height)
    await play.click()
    const { x, y, width, height } = (await page.locator('#game').boundingBox())!
    expect(width).toBeGreaterThanOrEqual(frame.width)
    expect(height).toBeGreaterThanOrEqual(frame.height)
    expect([x + width <= viewport.width, y + height <= viewport.height]).toEqual([true, true])
    expect(await page.getByRole('banner').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Leave' }).isVisible()).toBe(true)
    expect([await overflow(page), await violations(page)]).toEqual([0, []])
  }
  test('on a phone the game fills the window', { tags: 'long' }, () =>
    fillsWindow({ width: 390, height: 844 }, { width: 360, height: 740 }),
  )
  test('on a phone that lies on its side the game fills the window', () =>
    fillsWindow({ width: 740, height: 360 }, { width: 616, height: 360 }))

  test(
    'the launch context comes by address, by message and as launch.json: each alone is enough',
    { tags: 'long' },
    async () => {
      await page.goto(`/play/${slug}`)
      await page.getByLabel('What do you want to be called?').fill('Ada')
      await page.getByRole('button', { name: 'Play' }).click()
      const address = new URL((await page.locator('#game').getAttribute('src'))!)
      await game().getByText('Playing as Ada.').waitFor()
      for (const more of ['', address.hash]) {
        await page.evaluate(
          `document.querySelector('#game').src = ${JSON.stringify(
            `${address.origin}${address.pathname}?${crypto.randomUUID()}${more}`,
          )}`,
        )
        await game().getByText('Playing as Ada.').waitFor()
      }
      // launch.json needs no page around it; without any of them the game runs and reports nothing
      await page.goto(address.origin + address.pathname + address.hash)
      await page.getByText('Playing as Ada.').waitFor()
      await page.goto(`${address.origin}${address.pathname}?alone`)
      await page.getByText('Not connected: nothing is reported.').waitFor()
    },
  )

  test('another system launches the game by cmi5: its record store gets all statements, in order', async () => {
    // the record store of that system: another game's here, which judges every statement
    const { xapi, authorization } = await addGame(system.connections, system.urls, tokens.admin)
    const store = xapi()
    const fetched: string[] = []
    const lms = createServer(({ url = '', method }, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Content-Type', 'application/json')
      if (!url.startsWith('/fetch')) return response.setHeader('Content-Type', 'text/html').end('Back at school')
      const isUsed = fetched.includes(`${method} ${url}`)
      fetched.push(`${method} ${url}`)
      response.end(JSON.stringify(isUsed ? { 'error-code': '1' } : { 'auth-token': authorization.slice(6) }))
    }).listen(0, '127.0.0.1')
    await once(lms, 'listening')
    onTestFinished(() => void lms.close())
    const school = `http://localhost:${(lms.address() as AddressInfo).port}`
    const [session, masteryscore] = ['sessionid', 'masteryscore'].map(
      (name) => `https://w3id.org/xapi/cmi5/context/extensions/${name}`,
    ) as [string, string]
    const grouping = { objectType: 'Activity', id: 'https://publisher.example/unit' }
    const actor = { objectType: 'Agent', account: { homePage: school, name: 'pupil-1' } }
    const [registration, activityId] = [crypto.randomUUID(), `${school}/au/1`]
    const launch = async (sessionId: string) => {
      const query = { activityId, agent: actor, registration, stateId: 'LMS.LaunchData' }
      const contextTemplate = { contextActivities: { grouping: [grouping] }, extensions: { [session]: sessionId } }
      const document = {
        contextTemplate,
        launchMode: 'Normal',
        masteryScore: 0.75,
        moveOn: 'CompletedAndPassed',
        returnURL: school,
      }
      await store.request('PUT', 'activities/state', { query, body: document })
      const asked = { endpoint: `${store.url}/xapi`, fetch: `${school}/fetch?k=${sessionId}`, registration, activityId }
      await page.goto(`/cmi5/${slug}?${new URLSearchParams({ ...asked, actor: JSON.stringify(actor) })}`)
    }
    type Unit = { verb: { id: string }; object: { id: string }; result?: object; context: Record<string, object> }
    const statements = async (sessionId: string) =>
      ((await store.all({ registration, ascending: true })) as Unit[])
        .filter(({ context }) => JSON.stringify(context['extensions']).includes(sessionId))
        .map((statement) => {
          expect(statement).toMatchObject({ actor, context: { registration } })
          const { category = [], grouping: groups } = statement.context['contextActivities'] as Record<string, object[]>
          expect(groups).toEqual([grouping])
          const verb = statement.verb.id.split('/').at(-1)!
          const isUnit = category.length > 0
          expect([isUnit, statement.object.id === activityId]).toEqual([isUnit, isUnit || verb === 'progressed'])
          return { verb, isUnit, result: statement.result, context: statement.context }
        })
    const said = async (sessionId: string) => (await statements(sessionId)).filter(({ isUnit }) => isUnit)

    await launch('s-1')
    for (const [level, right] of [4, 4, 2].entries()) await playLevel(game(), level + 1, right)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Back at school').waitFor()
    const all = await statements('s-1')
    expect([all[0]!.verb, all.at(-1)!.verb]).toEqual(['initialized', 'terminated'])
    expect(all.filter(({ verb, isUnit }) => verb === 'answered' && !isUnit)).toHaveLength(12)
    const duration = expect.stringMatching(/^PT[\d.]+S$/)
    expect((await said('s-1')).map(({ verb, result }) => [verb, result])).toEqual([
      ['initialized', undefined],
      ['completed', { completion: true, duration }],
      ['passed', { success: true, score: { scaled: expect.closeTo(10 / 12) }, duration }],
      ['terminated', { duration }],
    ])
    expect((await said('s-1'))[2]!.context['extensions']).toMatchObject({ [masteryscore]: 0.75 })

    // the address was used: nothing starts
    await launch('s-1')
    await page.getByText('fetch: 1').waitFor()
    expect(await violations(page)).toEqual([])
    expect(fetched).toEqual(['POST /fetch?k=s-1', 'POST /fetch?k=s-1'])

    // a later launch of the same registration, which has its verdict, closed without the button
    await launch('s-2')
    await game().getByText('Playing as').waitFor()
    await page.getByRole('progressbar').waitFor({ state: 'hidden' })
    const frame = page.frames().find((one) => one !== page.mainFrame())!
    const done = { type: 'xapi-cmi5', verb: 'completed', result: { score: { scaled: 0 } } }
    await frame.evaluate(`parent.postMessage(${JSON.stringify(done)}, '*')`)
    await page.goto('about:blank')
    await expect.poll(async () => (await said('s-2')).map(({ verb }) => verb)).toEqual(['initialized', 'terminated'])
  })

  test('a game reaches neither cookies nor pages of the portal, in the frame and alone', async () => {
    await signIn()
    await page.goto(`/play/${slug}`)
    await page.getByLabel('What do you want to be called?').fill('Eve')
    await page.getByRole('button', { name: 'Play' }).click()
    await game().getByText('Playing as').waitFor()
    const attempt = (code: string) => `(() => { try { return String(${code}) } catch (error) { return error.name } })()`
    const frame = page.frames().find((frame) => frame !== page.mainFrame())!
    expect(await frame.evaluate(attempt('document.cookie'))).toBe('SecurityError')
    expect(await frame.evaluate(attempt('parent.document.title'))).toBe('SecurityError')
    expect(await frame.evaluate(attempt('localStorage.length'))).toBe('SecurityError')
    expect(await frame.evaluate(attempt('self.origin'))).toBe('null')
    expect(await frame.evaluate(attempt("(top.location = 'https://evil.example/')"))).not.toContain('evil')
    const asked = await frame.evaluate(
      `fetch(${JSON.stringify(`${system.url}/games`)}, { credentials: 'include' }).then((response) => 'read ' + ` +
        `response.status, (error) => error.name)`,
    )
    expect(asked).toBe('TypeError')
    expect(page.url()).toContain(system.url)
    // opened alone, where the host is the portal's own: sandboxed all the same
    await page.goto(frame.url())
    expect(await page.evaluate(attempt('document.cookie'))).toBe('SecurityError')
  })

  test('a phone shows the whole of it without sideways scrolling', { tags: 'long' }, async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`/play/${slug}`)
    expect(await overflow(page)).toBe(0)
    await page.getByLabel('What do you want to be called?').fill('Ada')
    await page.getByRole('button', { name: 'Play' }).click()
    await game().getByText('Playing as Ada.').waitFor()
    expect(await overflow(page)).toBe(0)
    await playLevel(game(), 1, 2)
  })

  test(
    'where each build has its own origin, it has its own storage, and still nothing of the portal',
    { tags: 'long' },
    async () => {
      const apart = await startPortalSystem({ apart: true })
      try {
        const { slug } = await apart.publish(await apart.studio('Red Fox'), 'Star Trail')
        await page.goto(`${apart.url}/play/${slug}`)
        await page.getByLabel('What do you want to be called?').fill('Ada')
        await page.getByRole('button', { name: 'Play' }).click()
        await game().getByText('Playing as Ada.').waitFor()
        const frame = page.frames().find((frame) => frame !== page.mainFrame())!
        expect(new URL(frame.url()).hostname).toMatch(/^[\da-f-]{36}\.games\.test$/)
        expect(
          await frame.evaluate("localStorage.setItem('a', '1'); localStorage.getItem('a') + document.cookie"),
        ).toBe('1')
        expect(
          await frame.evaluate(
            '(() => { try { return parent.document.title } catch (error) { return error.name } })()',
          ),
        ).toBe('SecurityError')
        await playLevel(game(), 1, 3)
        await game().getByText('Connected').waitFor()
      } finally {
        await apart.close()
      }
    },
  )
})
