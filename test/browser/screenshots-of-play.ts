// Pictures of the end of a game and of a game in another site: a part of `npm run screenshots`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { playLevel } from '../support/quiz.ts'
import { statement } from '../support/statements.ts'
import { xapiClient } from '../support/xapi.ts'
import type { Played, Shoot } from './screenshots-of-learners.ts'

/** @param context of a member of the studio */
export async function shootPlay(
  { system, studio, gameId, slug }: Played,
  context: BrowserContext,
  shoot: Shoot,
): Promise<void> {
  const guests = await context.browser()!.newContext({ baseURL: system.url, viewport: { width: 1120, height: 900 } })
  const page = await guests.newPage()
  await page.goto(`/play/${slug}`)
  await page.getByLabel('What do you want to be called?').fill('Grace')
  await page.getByRole('button', { name: 'Play' }).click()
  for (const level of [1, 2]) await playLevel(page.frameLocator('#game'), level, 5 - level)
  await complete(page)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('listitem').getByText('Level 2').waitFor()
  await shoot(page, 'end')

  const lesson = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end(site(system.url, slug)),
  )
  await new Promise<void>((done) => lesson.listen(0, '127.0.0.1', done))
  const origin = `http://localhost:${(lesson.address() as AddressInfo).port}`
  await studio.on().games.setPlayer({ gameId, player: { embed: [origin] } })
  await page.goto(origin)
  const frame = page.frameLocator('iframe')
  await frame.getByLabel('What do you want to be called?').fill('Grace')
  await frame.getByRole('button', { name: 'Play' }).click()
  await frame
    .frameLocator('#game')
    .getByRole('button', { name: /Level 1/ })
    .waitFor()
  await shoot(page, 'embedded')
  await guests.close()
  await new Promise((done) => lesson.close(done))

  await studio
    .on()
    .games.setPlayer({ gameId, player: { embed: ['https://school.example', 'https://moodle.example:8443'] } })
  const member = await context.newPage()
  await member.goto(`/games/${gameId}/player`)
  await shoot(member, 'player')
  await member.close()
  await studio.on().games.setPlayer({ gameId })
}

/** Reports as the game does when all of it is done. */
async function complete(page: Page): Promise<void> {
  const launch = JSON.parse((await page.locator('#game').getAttribute('data-launch'))!) as Record<string, string>
  await xapiClient(new URL(launch['endpoint']!).origin, launch['auth']!).post(
    statement({
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
      object: { id: launch['activity_id']! },
      context: { registration: launch['registration']! },
      result: { success: true, completion: true, score: { scaled: 0.875, raw: 7, max: 8 } },
    }),
  )
}

const site = (
  portal: string,
  slug: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lesson</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <body style="font: 1.05rem/1.6 Georgia, serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; background: #fdfbf5; color: #222">
  <h1>Science, lesson 4: the night sky</h1><p>Play the three levels, then write down which planet surprised you.</p>
  <iframe src="${portal}/embed/${slug}" title="Star Trail" width="960" height="540" style="border: 0; max-width: 100%"
  allow="fullscreen; gamepad" allowfullscreen></iframe><p>Homework: find Venus in the evening.</p></body></html>`
