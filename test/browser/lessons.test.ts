import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { addStudio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('a lesson', () => {
  let system: PortalSystem
  let school: Studio
  let slugs: string[]
  beforeAll(async () => {
    system = await startPortalSystem()
    school = await addStudio(system, 'Oak School', { kind: 'school' })
    const fox = await system.studio('Blue Fox')
    slugs = [(await system.publish(fox, 'Star Trail')).slug, (await system.publish(fox, 'Moon Base')).slug]
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  const shot = async (page: Page, name: string) => {
    if (!process.env['SHOTS']) return
    for (const [width, height] of [
      [360, 740],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.screenshot({ path: `${process.env['SHOTS']}-${name}-${width}.png` })
    }
    await page.setViewportSize({ width: 360, height: 740 })
  }

  test(
    'a phone waits, names itself and plays; the page follows the lesson without a press',
    { timeout: 240_000 },
    async () => {
      const { lessons, schools } = school.on()
      const { classId } = await schools.createSchoolClass({ name: '4b', pupilNames: ['Ada'] })
      const { lesson } = await lessons.openLesson({ classId, gameSlug: slugs[0]!, senderIp: '127.0.0.1' })
      const { lessonId, code } = lesson!
      await using context = await browser!.newContext({
        baseURL: system.url,
        locale: 'de',
        viewport: { width: 360, height: 740 },
      })
      const page = await context.newPage()
      const look = async (name: string) => {
        await shot(page, name)
        expect([name, await overflow(page), await violations(page)]).toEqual([name, 0, []])
      }
      await page.goto('/join')
      await look('join')
      await page.getByLabel('Wie heißt der Code?').fill(code)
      await page.getByRole('button', { name: 'Los' }).click()
      await page.getByText('Warte auf deine Lehrkraft').waitFor()
      await look('wait')
      await lessons.letIn({ lessonId })
      await page.getByLabel('Dein Name').fill('ada')
      await look('name')
      await page.getByText('Sonne').click()
      await page.getByRole('button', { name: 'Spielen' }).click()
      const start = page.frameLocator('.game-frame').getByRole('button').first()
      await start.waitFor({ timeout: 60_000 })
      const cover = page.getByRole('dialog', { name: 'Schau zu deiner Lehrkraft' })
      const frame = page.frames().find((one) => one.parentFrame() !== null)!
      await frame.evaluate(`heard = []; addEventListener('message', ({ data }) => heard.push(data.type))`)
      await lessons.changeLesson({ lessonId, paused: true })
      await cover.waitFor()
      await look('paused')
      await page.keyboard.press('Escape')
      expect(await cover.isVisible()).toBe(true)
      await lessons.changeLesson({ lessonId, paused: false })
      await cover.waitFor({ state: 'hidden' })
      expect(await frame.evaluate('heard')).toEqual(['xapi-pause', 'xapi-resume'])
      await lessons.changeLesson({ lessonId, gameSlug: slugs[1]! })
      await page.waitForURL(`**/play/${slugs[1]!}/game`, { timeout: 60_000 })
      await shot(page, 'game')
      // a reload goes on; a closed tab leaves the seat
      await page.reload()
      await page.getByRole('button', { name: 'Ich bin fertig' }).waitFor()
      const left = `select until < now() + interval '16 seconds' as is from seat where ended is null`
      await expect.poll(async () => (await system.database.sql<{ is: boolean }>(left))[0]!.is).toBe(false)
      await page.close({ runBeforeUnload: true })
      await expect.poll(async () => (await system.database.sql<{ is: boolean }>(left))[0]!.is).toBe(true)
      const next = await context.newPage()
      await next.goto('/join')
      await next.getByLabel('Wie heißt der Code?').waitFor()
      expect((await context.cookies()).map(({ name }) => name)).toEqual([])
    },
  )
})
