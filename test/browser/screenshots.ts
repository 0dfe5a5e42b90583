// Renews docs/screenshots: `npm run screenshots`. A studio with a game that was played for two weeks, in Chromium.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { startPostgres } from '../../start/postgres.ts'
import { levels } from '../../examples/quiz/levels.js'
import { launchBrowser } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'
import { makeTemplate } from '../support/template.ts'
import { xapiClient } from '../support/xapi.ts'

const target = resolve(import.meta.dirname, '..', '..', 'docs', 'screenshots')
const names = [
  'Amara',
  'Ben',
  'Chiara',
  'Deniz',
  'Elif',
  'Finn',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kofi',
  'Lena',
  'Mateo',
  'Nora',
  'Oskar',
]
/** How many sessions there were, day by day, up to today. */
const sessions = [3, 2, 5, 4, 6, 8, 3, 2, 7, 9, 8, 11, 6, 10]

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
  await shoot(page, 'upload')
  await sandbox(page, draft)
  await page.goto(`/games/${gameId}/credential`)
  await shoot(page, 'credential')
  await page.goto(`/games/${gameId}/data`)
  await shoot(page, 'data', { height: 1100 })
  await page.goto(`/games/${gameId}/statements`)
  await shoot(page, 'statements')
  await page.goto('/limits')
  await shoot(page, 'limits')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto(`/games/${gameId}/data`)
  await shoot(page, 'phone', { width: 390, height: 780 })
  await context.close()
}

async function describe(studio: Studio, gameId: string, name: string, summary: string): Promise<void> {
  await studio.on().games.updateGame({
    gameId,
    name,
    summary,
    description:
      'For everybody from ten years on. A level takes two minutes.\n\nNothing has to be installed; what was reached is kept.',
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

async function playTwoWeeks(system: PortalSystem, studio: Studio, gameId: string, slug: string): Promise<void> {
  const tokens = new Map<string, string>()
  for (const [day, count] of sessions.entries()) {
    for (let n = 0; n < count; n++) {
      const name = names[(day * 3 + (n % Math.ceil(count * 0.7)) * 2) % names.length]!
      const { launch, learnerToken } = await studio.on().launches.startPlay({
        slug,
        learnerName: name,
        learnerToken: tokens.get(name) ?? '',
        senderIp: `10.0.${day}.${n}`,
      })
      tokens.set(name, learnerToken)
      const { post } = xapiClient(system.urls[0]!, `Bearer ${launch!.token}`)
      await post(session(launch!.activityId, launch!.registration, 1 + ((day + n) % 3), day + n))
      if ((day * 5 + n) % 13 === 0) await post([{ verb: { id: 'answered' }, object: { id: launch!.activityId } }])
    }
    await insightsAreThere(studio, gameId)
    const ago = sessions.length - 1 - day
    for (const table of ['verb_tally', 'activity_tally', 'learner_day', 'session_day', 'refusal_tally']) {
      if (ago > 0)
        await system.database.sql(`update ${table} set day = day - ${ago} where day = (now() at time zone 'utc')::date`)
    }
  }
}

async function insightsAreThere(studio: Studio, gameId: string): Promise<void> {
  const today = new Date().toISOString().slice(0, 10)
  for (let complete = false; !complete;)
    ({ complete } = await studio.on().insights.getInsights({ gameId, from: today, to: today }))
}

/** Statements of the quiz for the first `count` levels. */
function session(game: string, registration: string, count: number, seed: number): object[] {
  const statement = (verb: string, id: string, name: string, result?: object) => ({
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}`, display: { en: verb } },
    object: { id, definition: { name: { en: name } } },
    result,
    context: { registration },
  })
  const played = levels.slice(0, count).flatMap(({ name, questions }, level) => {
    const right = questions.map((_, question) => (seed * 7 + level * 3 + question * 5) % 4 > 0)
    const scaled = right.filter(Boolean).length / questions.length
    const id = `${game}/levels/${level + 1}`
    return [
      ...questions.map(({ text }, question) =>
        statement('answered', `${id}/questions/${question + 1}`, text, { success: right[question] }),
      ),
      statement('completed', id, `Level ${level + 1}: ${name}`, {
        completion: true,
        success: scaled >= 0.5,
        score: { scaled },
      }),
    ]
  })
  return [
    statement('initialized', game, 'Star Trail'),
    ...played,
    statement('terminated', game, 'Star Trail', { duration: `PT${count * 2}M${seed}S` }),
  ]
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
  size: { width?: number; height: number } = { height: 760 },
): Promise<void> {
  mkdirSync(target, { recursive: true })
  await page.setViewportSize({ width: size.width ?? 1120, height: size.height })
  await page.mouse.move(0, 0)
  await page.waitForTimeout(300)
  const path = join(target, `${name}.png`)
  await page.screenshot({ path })
}
