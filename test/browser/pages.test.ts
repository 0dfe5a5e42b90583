import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { Channel, UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { webhookEvents } from '../../shared/webhook-events.ts'
import { bringAxe, overflow, startBrowser, violations, visit } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { xapiClient } from '../support/xapi.ts'
import { rawZip } from '../support/zip.ts'

const browser: Browser | undefined = await startBrowser()
const hostile = '<img src=x onerror=globalThis.hacked=1><script>globalThis.hacked=1</script>"\'&'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Every name and text in here has markup in it. */
describe.skipIf(!browser)('every page', () => {
  let system: PortalSystem
  let studio: Studio
  let paths: string[]
  let guestPaths: string[]
  let launch: { endpoint: string; auth: string; actor: object }
  let webhookId: string

  /** A webhook with markup in everything, turned off; returns a delivery of it that was given up. */
  async function addWebhook(gameId: string): Promise<string> {
    const { webhooks } = studio.on()
    const { webhook } = await webhooks.addWebhook({
      gameId,
      settings: {
        name: hostile.slice(0, 100),
        url: 'http://127.0.0.1:9/hook',
        events: Object.keys(webhookEvents),
        verb: 'https://x.example/verb',
        activity: `https://x.example/${'a'.repeat(300)}`,
      },
    })
    ;({ webhookId } = webhook!)
    await webhooks.rotateWebhookSecret({ webhookId })
    const { deliveryId } = await webhooks.testWebhook({ webhookId })
    await webhooks.testWebhook({ webhookId })
    await system.database.sql(`update webhook set state = 'off', problem = $1 where uuid = $2`, [hostile, webhookId])
    await system.database.sql(
      `update webhook_delivery set ended = now(), attempts = 9, last_attempt = now(), status = 500, problem = $1,
        answer = $2 where message = replace($3, 'msg_', '')::uuid`,
      [hostile, hostile.repeat(12), deliveryId],
    )
    return deliveryId
  }

  const cookie = () =>
    ({ name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' }) as const
  const visitor = async (options: Parameters<Browser['newContext']>[0] = {}): Promise<[BrowserContext, Page]> => {
    const context = await browser!.newContext({
      baseURL: system.url,
      viewport: { width: 1200, height: 800 },
      ...options,
    })
    await context.addCookies([cookie()])
    return [context, await context.newPage()]
  }

  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox', { reviewer: true })
    const { accounts, games, launches, classes } = studio.on()
    const [{ uuid: accountId }] = (await system.database.sql<{ uuid: string }>(
      'update account set admin = true where id = $1 returning uuid',
      [studio.account],
    )) as [{ uuid: string }]
    await accounts.updateStudio({ name: hostile, about: hostile, website: 'https://fox.example/' })
    await system.admin.providers.addProvider({
      name: 'school',
      issuer: 'https://login.example',
      settings: { label: hostile.slice(0, 60), clientId: 'lrs' },
    })
    const { gameId, slug } = await system.publish(studio, hostile)
    await games.updateGame({ gameId, name: hostile, summary: hostile, description: hostile })
    const inGerman = { language: 'de', summary: hostile, description: hostile, consent: hostile }
    await games.setGameText({ gameId, texts: inGerman })
    await system.admin.games.reportGame({ slug, reason: 'broken', text: hostile, senderIp: '127.0.0.1' })
    const fileId = await system.upload(
      studio,
      UploadKind.GALLERY_IMAGE,
      `${hostile}.png`.replaceAll('/', '_'),
      png,
      gameId,
    )
    await games.describeFile({ gameId, fileId, text: hostile })
    await games.submitForReview({ gameId, message: hostile })
    await system.admin.games.decideReview({
      gameId,
      buildId: (await games.getGame({ gameId })).game!.live!.buildId,
      approved: true,
      note: hostile,
    })
    const channels = await system.publish(studio, 'Channels')
    for (const channel of [Channel.LIVE, Channel.BETA]) {
      const bytes = rawZip([{ name: 'index.html', content: `${channel}` }])
      const words = { channel, version: hostile.slice(0, 40), notes: hostile }
      await system.upload(studio, UploadKind.BROWSER_BUILD, 'quiz.zip', bytes, channels.gameId, words)
      if (channel === Channel.BETA) break
      await games.submitForReview({ gameId: channels.gameId })
      const { buildId } = (await games.getGame({ gameId: channels.gameId })).game!.staged!
      await system.admin.games.decideReview({ gameId: channels.gameId, buildId, approved: true })
    }
    const [kept] = (await games.getGame({ gameId: channels.gameId })).game!.kept
    await launches.createInvitation({ gameId, learnerName: hostile })
    const { classId } = await classes.createClass({ gameId, name: hostile, learnerNames: [hostile], nicknames: 39 })
    const { invitations } = await launches.listInvitations({ gameId })
    const empty = await games.createGame({ name: 'Empty' })
    const waiting = await system.draft(studio, hostile)
    await games.submitForReview({ gameId: waiting, message: hostile })
    await games.updateGame({ gameId, name: `${hostile}2`, summary: hostile, description: `${hostile}\n\n${hostile}2` })
    await system.upload(studio, UploadKind.GALLERY_IMAGE, 'another.png', png, gameId)
    await games.submitForReview({ gameId, message: hostile })

    await accounts.updateStudio({ name: `${hostile}2`, about: `${hostile}\n\n${hostile}2`, website: '' })
    const { launch: tried } = await launches.openSandbox({ gameId, learnerName: hostile, live: true })
    const { launch: played } = await launches.startPlay({ slug, learnerName: hostile, senderIp: '127.0.0.1' })
    launch = { endpoint: system.urls[0]!, auth: `Bearer ${played!.token}`, actor: JSON.parse(played!.actor) as object }
    const statement = {
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: hostile } },
      object: { id: 'https://x.example/level', definition: { name: { en: hostile } } },
      result: { response: hostile, score: { scaled: 0.5 } },
    }
    let statementId = ''
    for (const { token } of [tried!, played!]) {
      const { post } = xapiClient(launch.endpoint, `Bearer ${token}`)
      ;[statementId] = (await post(statement)).json as [string]
      await post({ ...statement, verb: { id: hostile } })
    }
    const { forward } = await studio.on().forwards.addForward({
      gameId,
      settings: { name: hostile.slice(0, 100), endpoint: 'http://127.0.0.1:9/xapi', version: '1.0.3' },
      credential: { kind: { case: 'basic', value: { user: hostile.replaceAll(':', ''), password: 'secret' } } },
    })
    await system.database.sql(
      `update forward set failures = 3, problem = $1, next_attempt = now() + interval '1 day', attempts = attempts + 1`,
      [hostile],
    )
    await system.database.sql(
      'insert into forward_set_aside (forward, stored, statement, reason) select id, 1795000000000000, $1, $2 from forward',
      [statementId, hostile],
    )
    const deliveryId = await addWebhook(gameId)
    const content = Buffer.from(JSON.stringify(hostile))
    const written = { gameId, documentId: hostile, content, contentType: 'application/json' }
    await studio.on().gameDocuments.putGameDocument(written)
    const owl = await system.studio(hostile)
    const { members } = studio.on()
    const invited = await members.inviteMember({ role: MemberRole.DEVELOPER, email: 'cleo@example.org' })
    const accept = await owl.on().members.inviteMember({ role: MemberRole.ANALYST })
    await members.acceptMemberInvitation({ code: accept.code })
    await members.switchStudio({
      studioId: (await accounts.getAccount({})).memberships.find(({ role }) => role === MemberRole.OWNER)!.studioId,
    })
    await owl
      .on()
      .members.acceptMemberInvitation({ code: (await members.inviteMember({ role: MemberRole.ANALYST })).code })
    const { members: people } = await members.listMembers({})
    const member = `/studio/members/${people.at(-1)!.accountId}`
    const { studio: profile } = await accounts.getAccount({})
    const game = `/games/${gameId}`
    guestPaths = [
      '/',
      '/sign-up',
      '/sign-in',
      '/sign-in/with/school/denied',
      '/limits',
      '/packaging',
      '/reporting',
      '/privacy',
      '/imprint',
      '/?words=img&age=9',
      `/g/${slug}`,
      `/g/${slug}/report`,
      `/play/${slug}`,
      `/play/${slug}/end`,
      '/device',
      '/join',
      '/c/none',
      '/lti/launch',
      `/device/linked/${slug}`,
      `/embed/${slug}`,
      `/embed/${slug}?invitation=none`,
      `/cmi5/${slug}?endpoint=http://127.0.0.1:9&fetch=http://127.0.0.1:9`,
      `/studios/${profile!.slug}`,
      `/members/join?code=${invited.code}`,
      `/sign-up?next=%2Fmembers%2Fjoin%3Fcode%3D${invited.code}`,
      '/mail/weekly?code=x',
      '/nowhere',
    ]
    // the others of guests differ in the header only
    paths = [
      ...guestPaths.filter((path) => /^\/($|g\/|studios|members\/join)/.test(path)),
      '/games',
      '/games/new',
      '/account',
      '/account/tokens',
      '/account/mail',
      '/account/providers',
      '/account/delete',
      '/start',
      '/studio',
      '/studio/members',
      '/studio/secrets',
      member,
      `${member}/remove`,
      `${member}/hand-over`,
      '/studio/leave',
      '/studio/delete',
      '/studio/activity',
      '/messages',
      '/reviews',
      `/reviews/${waiting}`,
      `/reviews/${gameId}`,
      `/reviews/studios/${(await accounts.getAccount({})).studio!.studioId}`,
      '/operator',
      '/operator/reports',
      '/operator/storage',
      '/operator/jobs',
      '/operator/mail',
      '/operator/forwards',
      '/operator/activity',
      ...['', `/${profile!.studioId}`, `/${profile!.studioId}/suspend`].map((page) => `/operator/studios${page}`),
      ...['', `/${accountId}`, `/${accountId}/end-sessions`].map((page) => `/operator/accounts${page}`),
      game,
      ...[
        'checklist',
        'media',
        'edit',
        'texts?language=de',
        'changes',
        'upload',
        'player',
        'sandbox',
        `sandbox/${tried!.sessionId}`,
        'invitations',
        'classes',
        ...['', '/links', '/end'].map((page) => `classes/${classId}${page}`),
        ...['/link', '/end'].map((page) => `invitations/${invitations[0]!.invitationId}${page}`),
        'credential',
        'credential/rotate',
        'counting',
        'alerts',
        'views?page=data/progress&query=days%3D90',
        'documents',
        'documents/edit',
        `documents/edit?document=${encodeURIComponent(hostile)}`,
        'retention',
        'retention?count=yes&learner_months=12',
        'deletions',
        'deletions?verb=completed',
        'builds',
        'data/activity',
        'data/progress',
        'data/progress/funnel',
        'data/compare',
        'data/return',
        'data/answers',
        'data/elements',
        'data/problems',
        'learners',
        'learners?q=img',
        `learner?agent=${encodeURIComponent(
          JSON.stringify({ account: (launch.actor as { account: object }).account }),
        )}`,
        'statements',
        `statements/${statementId}`,
        'withdraw',
        'connections',
        'connections/forwards/new',
        ...['', '/change', '/remove'].map((page) => `connections/forwards/${forward!.forwardId}${page}`),
        'connections/webhooks/new',
        ...['', '/change', '/rotate', '/remove', `/deliveries/${deliveryId}`].map(
          (page) => `connections/webhooks/${webhookId}${page}`,
        ),
      ].map((page) => `${game}/${page}`),
      ...[
        '',
        '/checklist',
        '/media',
        '/upload',
        '/sandbox',
        '/invitations',
        '/credential',
        '/connections',
        '/builds',
        '/submit',
        '/delete',
      ].map((page) => `/games/${empty.gameId}${page}`),
      ...['', '/promote', `/rollback?to=${kept!.buildId}`, '/sandbox?build=beta', '/beta-link'].map(
        (page) => `/games/${channels.gameId}${page}`,
      ),
    ]
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  /** Pages that are there to say no. */
  const refused = /^\/nowhere$|\/denied$|[?&]invitation=none$/

  type Scheme = 'light' | 'dark'

  const wrongStatus = (path: string, status: number): string[] =>
    (refused.test(path) ? status < 400 || status >= 500 : status !== 200) ? [`the status is ${status}`] : []

  /** What is wrong with one page, by axe in a window in these schemes, and on a phone. */
  async function wrongWith(page: Page, path: string, [first, ...others]: readonly Scheme[]): Promise<string[]> {
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.emulateMedia({ colorScheme: first! })
    const { bytes, status } = await visit(page, path)
    const problems = [...(await violations(page)), ...wrongStatus(path, status)]
    if (bytes >= 100_000) problems.push(`it has ${bytes} bytes`)
    for (const colorScheme of others) {
      await page.emulateMedia({ colorScheme })
      problems.push(...(await violations(page, ['color-contrast'])).map((problem) => `${colorScheme}: ${problem}`))
    }
    await page.setViewportSize({ width: 360, height: 740 })
    if ((await overflow(page)) > 0) problems.push('it scrolls sideways')
    if (await page.evaluate('globalThis.hacked')) problems.push('it runs what it should show')
    return problems
  }

  /**
   * What is wrong with the answer alone: its status, its weight without what it loads, and texts with markup in them.
   * @param session undefined: a guest
   */
  async function wrongWithAnswer(path: string, session = ''): Promise<string[]> {
    const response = await fetch(new URL(path, system.url), { headers: { cookie: `session=${session}` } })
    const text = await response.text()
    const tags = text.match(/<[a-z](?:[^>"]|"[^"]*")*>/gi) ?? []
    const names = tags.map((tag) => tag.replaceAll(/"[^"]*"/g, ''))
    const problems = wrongStatus(path, response.status)
    if (gzipSync(text).length >= 50_000) problems.push('its text is too long')
    if (text.includes('<img src=x')) problems.push('it has markup that it should show')
    if (names.some((tag) => /^<script(?!.*\ssrc=)|\son\w+=/is.test(tag))) problems.push('it has a script inside')
    return problems
  }

  /** A browser takes most of the time: in the short form it opens each sixth page only, light and dark by turns. */
  const sample: readonly Scheme[][] = [['light'], [], [], [], [], [], ['dark'], [], [], [], [], []]

  async function check(page: Page, paths: string[], whole: boolean, session?: string): Promise<void> {
    await bringAxe(page)
    const found: Record<string, string[]> = {}
    for (const [n, path] of paths.entries()) {
      const schemes = whole ? (['light', 'dark'] as const) : sample[n % sample.length]!
      const problems = await wrongWithAnswer(path, session)
      if (schemes.length > 0) problems.push(...(await wrongWith(page, path, schemes)))
      if (problems.length > 0) found[path] = problems
    }
    expect(found).toEqual({})
  }

  async function checkAll(whole: boolean): Promise<void> {
    const [context, page] = await visitor()
    await check(page, paths, whole, studio.session)
    await context.close()
    await using guest = await browser!.newContext({ baseURL: system.url })
    await check(await guest.newPage(), guestPaths, whole)
  }

  test('is in order: its answer; and in a browser, a sixth of them: phone, weight and axe', () => checkAll(false))
  test('is in order: each in a browser, light and dark', { tags: 'long' }, () => checkAll(true))

  test('on a phone fingers find what they touch, and what belongs in a row stays there', async () => {
    const [context, page] = await visitor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const statements = paths.find((path) => path.endsWith('/statements'))!
    await page.goto(`${statements}?agent=nobody`)
    const small = await page.evaluate(`
      [...document.querySelectorAll('.brand, nav:not(.actions) a, .who a, button, summary, select, input:not([type=hidden])')]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40)
        .map((one) => one.textContent.trim())`)
    expect(small).toEqual([])
    const { height } = (await page.locator('.site-header').boundingBox())!
    expect(height).toBeLessThan(120)
    await page.goto(statements)
    const pause = (await page.getByRole('button', { name: 'Pause' }).boundingBox())!
    expect(pause.width).toBeGreaterThan(pause.height)
    // all pages of the game, behind a button
    expect(await page.getByRole('link', { name: 'Progress' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Pages of' }).click()
    await page.getByRole('link', { name: 'Progress' }).waitFor()
    // links of a row scroll sideways, and the page that is shown is in sight
    await page.goto('/operator/activity')
    const tabs = await page.evaluate(`
      [...document.querySelectorAll('.tabs a')].map((one) => one.getBoundingClientRect())`)
    expect(new Set((tabs as { y: number }[]).map(({ y }) => y)).size).toBe(1)
    const here = (await page.locator('.tabs [aria-current]').boundingBox())!
    expect(here.x + here.width).toBeLessThanOrEqual(390)
    await page.goto('/reporting')
    const copy = (await page.locator('[data-copy]').first().boundingBox())!
    const code = (await page.locator('pre').first().boundingBox())!
    expect(copy.y + copy.height).toBeLessThanOrEqual(code.y)
    // on its side: all of the game at once
    await page.setViewportSize({ width: 844, height: 390 })
    await page.goto(paths.find((path) => path.includes('/sandbox/'))!)
    expect((await page.locator('#game').boundingBox())!.height).toBeLessThan(390)
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.goto(statements)
    const toggle = page.locator('.statements summary').first()
    await toggle.scrollIntoViewIfNeeded()
    const closed = await toggle.boundingBox()
    await toggle.click()
    await page.locator('.statements [open] pre').waitFor()
    expect(await toggle.boundingBox()).toEqual(closed)
    await page.goto(`${statements}?agent=nobody`)
    const tops = await page.evaluate(`
      ['agent', 'verb', 'activity'].map((name) => document.querySelector('label[for=field-' + name + ']').offsetTop)`)
    expect(new Set(tops as number[]).size).toBe(1)
    await context.close()
  })

  test('tells times in the zone of the viewer, by name, also of what comes later; without scripts in UTC', async () => {
    const path = paths.find((path) => path.endsWith('/invitations'))!
    const texts = async (options: Parameters<Browser['newContext']>[0]) => {
      const [context, page] = await visitor(options)
      await page.goto(path)
      const first = page.locator('time').first()
      const shown = { text: await first.textContent(), at: (await first.getAttribute('datetime'))!, title: '' }
      if (options?.javaScriptEnabled !== false) {
        shown.title = (await first.getAttribute('title'))!
        await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
          '<p id="late"><time datetime="2026-07-01T00:00:00Z" data-to="minute">1 Jul 2026, 00:00 UTC</time></p>')`)
        await page.getByText('1 Jul 2026, 05:30 GMT+5:30').waitFor()
      }
      await context.close()
      return shown
    }
    const inIndia = await texts({ timezoneId: 'Asia/Kolkata' })
    const local = new Date(inIndia.at).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata', timeStyle: 'short' })
    expect(inIndia.text).toContain(`, ${local} GMT+5:30`)
    expect(inIndia.title).toMatch(/^India Standard Time, Asia\//)
    expect((await texts({ javaScriptEnabled: false })).text).toMatch(/, \d\d:\d\d UTC$/)
  })

  test('the numbers of a chart are read with arrow keys and by touch', async () => {
    const [context, page] = await visitor({ hasTouch: true })
    await page.goto(paths.find((path) => path.endsWith('/data/activity'))!)
    const chart = page.locator('svg.chart').first()
    const marks = chart.locator('.mark')
    const tip = page.locator('.tip')
    const labels = await marks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    await marks.first().focus()
    expect(await tip.textContent()).toBe(labels[0])
    for (const [key, at] of [
      ['ArrowRight', 1],
      ['End', labels.length - 1],
      ['ArrowLeft', labels.length - 2],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await tip.textContent(), key).toBe(labels[at])
    }
    // one stop on the way of the Tab key
    expect(await chart.locator('.mark[tabindex="0"]').count()).toBe(1)
    await page.keyboard.press('Escape')
    expect(await tip.isVisible()).toBe(false)
    await marks.last().tap()
    expect(await tip.textContent()).toBe(labels.at(-1))
    await context.close()
  })

  test('a target is tested without leaving the form: what was typed stays', async () => {
    const [context, page] = await visitor()
    await page.goto(paths.find((path) => path.endsWith('/connections/forwards/new'))!)
    await page.getByLabel('Endpoint').fill('http://127.0.0.1:9/xapi')
    await page.getByLabel('User name', { exact: true }).fill('ann')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    // what belongs to the other choices is not in the way
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false)
    expect(await page.locator('[name=since]').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Test' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('does not take statements yet').waitFor()
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('secret')
    expect(page.url()).toMatch(/forwards\/new$/)
    await context.close()
  })

  test('a webhook is added by its form; the page with its secret, shown once, is in order', async () => {
    const [context, page] = await visitor()
    await bringAxe(page)
    const form = paths.find((path) => path.endsWith('/connections/webhooks/new'))!
    await page.goto(form)
    await page.getByLabel('Address').fill('http://127.0.0.1:9/other')
    await page.getByRole('button', { name: 'Add and show the secret' }).click()
    await page.getByText('Copy it now.').waitFor()
    expect(await page.locator('#secret-text').textContent()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await overflow(page)).toBe(0)
    await page.getByRole('link', { name: 'I have saved it' }).click()
    await page.getByRole('heading', { name: 'Last deliveries' }).waitFor()
    expect(await page.content()).not.toContain('whsec_')
    await context.close()
  })

  test('is signed up for with the keyboard alone', async () => {
    await using context = await browser!.newContext({ baseURL: system.url })
    const page = await context.newPage()
    const focused = () => page.evaluate('document.activeElement.textContent.trim() || document.activeElement.name')
    const reach = async (what: string) => {
      for (let steps = 0; steps < 20; steps++) {
        await page.keyboard.press('Tab')
        if ((await focused()) === what) return
      }
      throw new Error(`${what} cannot be reached by Tab`)
    }
    await page.goto('/')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await reach('Sign up')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-up')
    for (const [name, value] of [
      ['studio_name', 'Keys'],
      ['email', 'keys@example.org'],
      ['password', 'short'],
    ] as const) {
      await reach(name)
      await page.keyboard.type(value)
    }
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('keys@example.org')
    await reach('password')
    await page.keyboard.type('a few words in a row')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Add your first game' }).waitFor()
  })

  test('a document of a game that is opened in a browser executes nothing', async () => {
    const { request } = xapiClient(launch.endpoint, launch.auth)
    const query = { activityId: 'https://x.example/a', agent: launch.actor, stateId: 'page' }
    const page =
      `<!doctype html><title>before</title><script>document.title = 'executed'</script><img src=x ` +
      `onerror="document.title = 'executed'">`
    expect(
      (await request('PUT', 'activities/state', { query, body: page, headers: { 'content-type': 'text/html' } }))
        .status,
    ).toBe(204)
    await using context = await browser!.newContext({
      extraHTTPHeaders: { authorization: launch.auth, 'x-experience-api-version': '1.0.3' },
    })
    const tab = await context.newPage()
    const address = new URL('/xapi/activities/state', launch.endpoint)
    for (const [name, value] of Object.entries(query))
      address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    // it is saved, not shown
    await Promise.all([tab.waitForEvent('download'), tab.goto(address.href).catch(() => {})])
    expect(await tab.title()).not.toBe('executed')
  })
})
