// Pictures of a class, of its learners and of what is kept about them: a part of `npm run screenshots`.
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { ExportFormat, Pseudonyms } from '../../gen/lrs/v1/exports_pb.js'
import type { PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { bearer, xapiClient } from '../support/xapi.ts'
import { sessionOf } from './star-trail.ts'

/** Takes two pictures of the page as it is: in a window, and on a phone in the dark; from the element `at` on. */
export type Shoot = (page: Page, name: string, at?: string) => Promise<void>

export interface Played {
  readonly system: PortalSystem
  readonly studio: Studio
  readonly gameId: string
  readonly slug: string
}

const pupils = 'Aylin Bilal Clara David Ella Felix Hanna Ivo Jule Kian'.split(' ')
const consent =
  'We are the makers of Star Trail. We keep which questions you answer, and how, to make the game better. Your ' +
  'teacher sees your results.\n\nYou can look at your data at any time, and ask us to erase it. If you do not agree, ' +
  'tell your teacher: you then do something else.'
const today = () => new Date().toISOString().slice(0, 10)

/** Learners of half a year ago, who never came back, and what a sandbox session of then left. */
export async function playLongAgo({ system, studio, gameId, slug }: Played): Promise<void> {
  for (const [seed, learnerName] of ['Pia', 'Rafi', 'Sven'].entries()) {
    const { launch } = await studio.on().launches.startPlay({ slug, learnerName, senderIp: `10.1.0.${seed}` })
    await play(system, launch!, 190, seed)
  }
  const { launch } = await studio.on().launches.openSandbox({ gameId, learnerName: 'Tess', live: true })
  await play(system, launch!, 190, 5)
}

/** A class on paper, in its table and one by one. */
export async function shootClass(played: Played, context: BrowserContext, shoot: Shoot): Promise<void> {
  const { system, studio, gameId, slug } = played
  const page = await context.newPage()
  // an address that other devices could open
  const at = `http://portal.games.test:${system.portal.port}`
  await context.addCookies([{ name: 'session', value: studio.session, url: at, httpOnly: true, sameSite: 'Lax' }])
  await page.goto(`${at}/games/${gameId}/invitations`)
  await page.getByLabel('Name of the class').fill('4b Monday')
  await page.getByLabel('Names, one a line').fill(pupils.join('\n'))
  await page.getByRole('button', { name: 'Make the class' }).click()
  await page.getByRole('button', { name: /Make a sheet/ }).click()
  await page.locator('.invitation-card').first().waitFor()
  const links = await page
    .locator('.invitation-card a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')!))
  await shoot(page, 'sheet')
  const codes = await Promise.all(links.map(codeOf))
  for (const [seed, invitation] of codes.slice(0, 8).entries()) {
    const { launch } = await studio.on().launches.startPlay({ slug, invitation, senderIp: `10.2.0.${seed}` })
    await play(system, launch!, 0, seed, () => minutesAgo(system, 2 + (seed % 3)))
  }
  await page.getByRole('link', { name: 'Back to the class' }).click()
  await page.getByText('Aylin').first().waitFor()
  await shoot(page, 'class')
  const { games } = studio.on()
  const { summary, description } = (await games.getGame({ gameId })).game!
  await games.updateGame({ gameId, name: summary!.name, summary: summary!.summary, description, consent })
  await shootGuest(context.browser()!, played, links[9], codes[2]!, shoot)
  await page.close()
}

/** What learners see: the text that they agree to, and what is kept about them. */
async function shootGuest(browser: Browser, { system, slug }: Played, link: string, code: string, shoot: Shoot) {
  const context = await browser.newContext({ baseURL: system.url })
  const page = await context.newPage()
  await page.goto(new URL(link).pathname)
  await page.getByRole('button', { name: /I agree/ }).waitFor()
  await shoot(page, 'consent')
  await page.goto(`/play/${slug}/data?invitation=${encodeURIComponent(code)}`)
  await shoot(page, 'own-data')
  const { ownData } = system.connections[0]!.as(bearer(tokens.portal))
  await ownData.askErasure({ proof: { slug, invitation: code, senderIp: '10.2.0.2' } })
  await context.close()
}

/** Who played, and the data to take or to remove. */
export async function shootData({ studio, gameId, system }: Played, page: Page, shoot: Shoot): Promise<void> {
  const of = `/games/${gameId}`
  await page.goto(`${of}/learners`)
  await shoot(page, 'learners')
  await page.goto(`${of}/learners?q=bil`)
  await page.getByRole('link', { name: 'Bilal' }).first().click()
  await page.getByRole('heading', { name: 'Bilal', exact: true }).waitFor()
  await shoot(page, 'learner')
  await page.goto(`${of}/data/compare?build=2&compare=1`)
  await shoot(page, 'compared')
  await page.goto(`${of}/data/progress/funnel`)
  await shoot(page, 'funnel')
  await page.goto(`${of}/statements`)
  await page.locator('summary', { hasText: 'Export these statements' }).click()
  await shoot(page, 'take', '.take')
  await makeFiles(studio, gameId)
  await page.goto(`${of}/statements/files`)
  await shoot(page, 'files')
  await page.goto(`${of}/retention`)
  await page.getByLabel('Statements of learners').fill('3')
  await page.getByLabel('Learners who were not seen').fill('4')
  await page.getByLabel('Data of the sandbox').fill('1')
  await page.getByRole('button', { name: 'Count what would go' }).click()
  await page.getByRole('heading', { name: /From now on/ }).waitFor()
  await shoot(page, 'retention-count', '#ask')
  await page.getByRole('button', { name: /Save|Remove/ }).click()
  await removed(system, gameId)
  await page.goto(`${of}/retention`)
  await shoot(page, 'retention', '#receipts')
}

async function play(
  system: PortalSystem,
  { activityId: game, registration, token }: { activityId: string; registration: string; token: string },
  daysAgo: number,
  seed: number,
  pause = () => Promise.resolve(),
): Promise<void> {
  const began = new Date(Date.now() - daysAgo * 86_400_000 - (seed * 3 + 20) * 60_000)
  const { post } = xapiClient(system.urls[0]!, `Bearer ${token}`)
  const [first, ...rest] = sessionOf({ game, registration, began, count: 1 + (seed % 3), seed: seed * 7 })
  for (const list of [[first], rest]) {
    const { status } = await post(list)
    if (status !== 200) throw new Error(`a session was refused with ${status}`)
    if (list !== rest) await pause()
  }
}

/** What was stored until now was stored earlier: nothing is counted yet. */
async function minutesAgo({ database }: PortalSystem, minutes: number): Promise<void> {
  const by = minutes * 60_000_000
  await database.sql(`update statement set stored = stored - ${by}`)
  await database.sql(`update posting set stored = stored - ${by}, target = target - ${by}`)
}

/** The code of an invitation, from where its short address leads. */
async function codeOf(link: string): Promise<string> {
  const { pathname, port } = new URL(link)
  const answer = await fetch(`http://127.0.0.1:${port}${pathname}`, { redirect: 'manual' })
  return new URL(answer.headers.get('location')!, link).searchParams.get('invitation')!
}

async function makeFiles(studio: Studio, gameId: string): Promise<void> {
  const { exports } = studio.on()
  for (const form of [
    { format: ExportFormat.CSV, pseudonyms: Pseudonyms.OF_GAME },
    { format: ExportFormat.PARQUET, pseudonyms: Pseudonyms.NONE },
  ])
    await exports.startExport({ gameId, form })
  while ((await exports.listExports({ gameId })).exports.some(({ ended }) => ended === 0n)) await wait(200)
}

/** The store removes what is too old some seconds later. */
async function removed(system: PortalSystem, gameId: string): Promise<void> {
  const ended = async () => (await system.admin.retention.getRetention({ gameId })).receipts[0]?.ended ?? 0n
  while ((await ended()) === 0n) await wait(200)
}

/** What is counted up to now. */
export async function countedAll(studio: Studio, gameId: string): Promise<void> {
  for (let complete = false; !complete;)
    ({ complete } = await studio.on().insights.getInsights({ gameId, from: today(), to: today() }))
}
