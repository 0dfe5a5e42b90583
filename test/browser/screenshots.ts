// Renews docs/screenshots: `npm run screenshots`. A studio with a game that was played for two weeks, in Chromium.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { startPostgres } from '../../start/postgres.ts'
import { buildQuiz } from '../../examples/quiz/build.ts'
import { launchBrowser } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'
import { makeTemplate } from '../support/template.ts'
import { xapiClient } from '../support/xapi.ts'
import { shootBuilds } from './screenshots-of-builds.ts'
import { shootConnections } from './screenshots-of-connections.ts'
import { shootDocs } from './screenshots-of-docs.ts'
import { shootPlay } from './screenshots-of-play.ts'
import { countedAll, playLongAgo, shootClass, shootData } from './screenshots-of-learners.ts'
import { sessionOf } from './star-trail.ts'

const target = resolve(import.meta.dirname, '..', '..', 'docs', 'screenshots')
const names = (
  'Amara Ben Chiara Deniz Elif Finn Grace Hugo Ines Jonas Kofi Lena Mateo Nora Oskar Paula Quentin Rosa Sami Tilda ' +
  'Umut Vera Wim Xenia Yusuf Zoe Anton Bea Carlos Dora Emil Fatou'
).split(' ')
/** How many sessions there were, day by day, up to today. */
const sessions = [3, 2, 5, 4, 6, 8, 3, 2, 7, 9, 8, 11, 6, 10]
const dataPages = ['overview', 'activity', 'progress', 'return', 'answers', 'elements', 'problems']
const dayMs = 86_400_000
/** Sent so far. */
let refusals = 0

const folder = mkdtempSync(join(tmpdir(), 'lrs-screenshots-'))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false })
const browser = await launchBrowser()
if (!browser) process.exit(1)
try {
  process.env['LRS_TEST_DATABASE'] = await makeTemplate(postgres.url)
  const system = await startPortalSystem()
  try {
    await photograph(system)
  } finally {
    await system.close()
  }
} finally {
  await browser.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function photograph(system: PortalSystem): Promise<void> {
  const studio = await system.studio('Blue Fox')
  const quiet = await system.studio('Little Owl')
  // what is described below is public at once
  for (const { email } of [studio, quiet]) await system.admin.accounts.setTrusted({ email, trusted: true })
  const { gameId, slug } = await system.publish(studio, 'Star Trail')
  await describe(studio, gameId, 'Star Trail', 'From the Moon to the stars, in twelve questions.')
  const bridges = await system.publish(quiet, 'Bridges & Rivers')
  await describe(quiet, bridges.gameId, 'Bridges & Rivers', 'Build bridges that hold, from three planks and a rope.')
  const draft = await system.draft(studio, 'Tide Pool')
  await describe(studio, draft, 'Tide Pool', 'Who lives between the tides, and who eats whom?')

  const context = await browser!.newContext({ baseURL: system.url, viewport: { width: 1120, height: 760 } })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await cover(system, page, studio, gameId, slug)
  const played = { system, studio, gameId, slug }
  await playLongAgo(played)
  await daysAgo(system, 190)
  await playTwoWeeks(system, studio, gameId, slug)
  await page.goto('/')
  await shoot(page, 'home')
  await page.goto(`/play/${slug}`)
  await page.getByLabel('What do you want to be called?').fill('Grace')
  await page.getByRole('button', { name: 'Play' }).click()
  await page
    .frameLocator('#game')
    .getByRole('button', { name: /Level 1/ })
    .click()
  await shoot(page, 'play')

  await context.addCookies([
    { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
  ])
  await countedAll(studio, gameId)
  await page.goto('/games')
  await shoot(page, 'games')
  await page.goto(`/games/${draft}`)
  await shoot(page, 'game')
  await page.goto(`/games/${draft}/checklist`)
  await shoot(page, 'checklist')
  await page.goto(`/games/${draft}/upload`)
  await page
    .getByLabel('Browser build')
    .setInputFiles({ name: 'tide-pool.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04 no zip') })
  await page.getByRole('alert').first().waitFor()
  await shoot(page, 'upload', { height: 880 })
  await sandbox(page, draft)
  await page.goto(`/games/${gameId}/credential`)
  await shoot(page, 'credential')
  await shootBuilds(played, page, shootBoth)
  await shootDocs(page, gameId, shootBoth)
  await shootClass(played, context, shootBoth)
  await shootConnections(played, page, shootBoth)
  await shootPlay(played, context, shootBoth)
  await countedAll(studio, gameId)
  for (const name of dataPages) {
    await page.goto(`/games/${gameId}${name === 'overview' ? '' : `/data/${name}`}`)
    await shoot(page, name, { height: name === 'progress' ? 1400 : 1100 })
  }
  await page.goto(`/games/${gameId}/statements`)
  await shoot(page, 'statements')
  await page.goto('/limits')
  await shoot(page, 'limits')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 780 })
  for (const name of dataPages) {
    await page.goto(`/games/${gameId}${name === 'overview' ? '' : `/data/${name}`}`)
    await shoot(page, name === 'overview' ? 'phone' : `${name}-phone`, { width: 390, height: 780 })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await shootData(played, page, shootBoth)
  await context.close()
}

/** In a window, and on a phone in the dark. */
async function shootBoth(page: Page, name: string, at?: string): Promise<void> {
  await shoot(page, name, { height: 900, at })
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, `${name}-phone`, { width: 390, height: 780, at })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function describe(studio: Studio, gameId: string, name: string, summary: string): Promise<void> {
  await studio.on().games.updateGame({
    gameId,
    name,
    summary,
    description:
      'For everybody from ten years on. A level takes two minutes.\n\nNothing has to be installed; what was ' +
      'reached is kept.',
  })
}

/** The game's own picture as its cover. */
async function cover(system: PortalSystem, page: Page, studio: Studio, gameId: string, slug: string): Promise<void> {
  const { build } = await studio.on().games.getPublishedGame({ slug })
  await page.setViewportSize({ width: 800, height: 450 })
  await page.goto(`${system.gamesUrl}/b/${build!.buildId}/index.html`)
  await page.getByRole('button', { name: /Level 1/ }).waitFor()
  const fileId = await system.upload(studio, UploadKind.GALLERY_IMAGE, 'trail.png', await page.screenshot(), gameId)
  await studio.on().games.describeFile({ gameId, fileId, text: 'Three levels: Moon, planets, stars' })
  await page.setViewportSize({ width: 1120, height: 760 })
}

/** Two weeks of sessions, with another build from the second one on. */
async function playTwoWeeks(system: PortalSystem, studio: Studio, gameId: string, slug: string): Promise<void> {
  const tokens = new Map<string, string>()
  for (const [day, count] of sessions.entries()) {
    const ago = sessions.length - 1 - day
    if (ago === 6) await anotherBuild(system, studio, gameId)
    for (let n = 0; n < count; n++) {
      const seed = day * 5 + n
      // most of a day are new or came lately
      const known = 3 + day * 2
      const back = Math.floor((((seed * 37) % 100) / 100) ** 2 * known)
      const name = names[known - 1 - back]!
      const { launch, learnerToken } = await studio.on().launches.startPlay({
        slug,
        learnerName: name,
        learnerToken: tokens.get(name) ?? '',
        senderIp: `10.0.${day}.${n}`,
      })
      tokens.set(name, learnerToken)
      const { activityId: game, registration, token } = launch!
      const { post } = xapiClient(system.urls[0]!, `Bearer ${token}`)
      const began = new Date(Date.now() - ago * dayMs - ((n * 37) % 240) * 60_000 - 3_600_000)
      const { status } = await post(sessionOf({ game, registration, began, count: 1 + ((day + n) % 3), seed }))
      if (status !== 200) throw new Error(`a session was refused with ${status}`)
      if (seed % 13 !== 0) continue
      await post([{ verb: { id: 'answered' }, object: { id: game } }])
      refusals++
    }
    await refusalsAreWritten(system)
    await daysAgo(system, ago)
  }
}

async function anotherBuild(system: PortalSystem, studio: Studio, gameId: string): Promise<void> {
  const zip = await readFile(await buildQuiz(join(folder, 'quiz-2.zip')))
  await system.upload(studio, UploadKind.BROWSER_BUILD, 'star-trail-2.zip', zip, gameId)
  const { games } = studio.on()
  await games.submitForReview({ gameId, message: '' })
  const { staged } = (await games.getGame({ gameId })).game!
  await system.admin.games.decideReview({ gameId, buildId: staged!.buildId, approved: true, note: '' })
}

/** Core writes them some seconds later; those of this day have to get another day. */
async function refusalsAreWritten(system: PortalSystem): Promise<void> {
  for (let written = -1; written !== refusals; await new Promise((resolve) => setTimeout(resolve, 200)))
    [{ written }] = (await system.database.sql(
      'select coalesce(sum(count), 0)::int as written from refusal_tally',
    )) as [{ written: number }]
}

/** What was stored in the last hours was stored some days ago: nothing is counted yet. */
async function daysAgo({ database }: PortalSystem, ago: number): Promise<void> {
  if (ago === 0) return
  const [from, by] = [(Date.now() - dayMs / 2) * 1000, ago * dayMs * 1000]
  await database.sql(`update statement set stored = stored - ${by} where stored > ${from}`)
  await database.sql(`update posting set stored = stored - ${by}, target = target - ${by} where stored > ${from}`)
  await database.sql(
    `update refusal_tally set day = day - ${ago}, last = last - ${ago} * interval '1 day' where day = (now() at ` +
      `time zone 'utc')::date`,
  )
}

async function sandbox(page: Page, gameId: string): Promise<void> {
  await page.setViewportSize({ width: 1200, height: 860 })
  await page.goto(`/games/${gameId}/sandbox`)
  await page.getByLabel('Name of a new test learner').fill('Tess')
  await page.getByRole('button', { name: 'Start the session' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  const game = page.frameLocator('#game')
  await playLevel(game, 1, 3)
  await page.getByText('Tess completed Level 1').waitFor()
  const launch = JSON.parse((await page.locator('#game').getAttribute('data-launch'))!) as {
    endpoint: string
    auth: string
  }
  await xapiClient(new URL(launch.endpoint).origin, launch.auth).post({
    verb: { id: 'http://adlnet.gov/expapi/verbs/scored' },
    object: { id: 'https://x.example/level-2' },
    result: { score: { scaled: 80 } },
  })
  await page.locator('.event.rejected').waitFor()
  await game.getByRole('button', { name: /Level 2/ }).click()
  await shoot(page, 'sandbox', { width: 1200, height: 860 })
}

async function shoot(
  page: Page,
  name: string,
  size: { width?: number; height: number; at?: string | undefined } = { height: 760 },
): Promise<void> {
  mkdirSync(target, { recursive: true })
  await page.setViewportSize({ width: size.width ?? 1120, height: size.height })
  await page.mouse.move(0, 0)
  if (size.at) await page.locator(size.at).evaluate((one) => one.scrollIntoView())
  await page.waitForTimeout(300)
  // WebP, which Playwright does not write: less than half of a PNG
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  writeFileSync(join(target, `${name}.webp`), data, 'base64')
}
