import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overflow, startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import { addStudio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()
const names = ['Ada', 'Bo', 'Cy']
const phone = { viewport: { width: 390, height: 844 } }

describe.skipIf(!browser)('a lesson', () => {
  let system: PortalSystem
  let context: BrowserContext
  let teacher: Page
  let slug: string

  beforeAll(async () => {
    system = await startPortalSystem()
    ;({ slug } = await system.publish(await system.studio('Blue Fox'), 'Star Trail'))
    context = await browser!.newContext({ baseURL: system.url })
    teacher = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  test('is opened by a new teacher, joined by a code, followed on the board, and read in the report', async () => {
    teacher.setDefaultTimeout(60_000)
    await teacher.goto('/sign-up?as=teacher')
    await teacher.getByLabel('Name of the school').fill('Hill School')
    await teacher.getByLabel('E-mail address').fill('tea@example.org')
    await teacher.getByLabel('Password').fill('four words in a row')
    await teacher.getByRole('button', { name: 'Open the school' }).click()
    await teacher.getByLabel('Name of the class').fill('4b')
    await teacher.getByLabel('Names of the pupils').fill(names.join('\n'))
    await teacher.getByRole('button', { name: 'Make the class' }).click()
    expect(await violations(teacher)).toEqual([])
    await teacher.getByRole('button', { name: 'Start the lesson' }).click()
    const code = (await teacher.getByLabel('Code of the lesson').textContent())!

    const pages = await Promise.all(
      names.map(async () => (await browser!.newContext({ baseURL: system.url, ...phone })).newPage()),
    )
    for (const page of pages) page.setDefaultTimeout(60_000)
    await Promise.all(
      pages.map(async (page) => {
        await page.goto('/join')
        await page.getByLabel('What is the code?').fill(code)
        await page.getByRole('button', { name: 'Go' }).click()
        await page.getByText('Your teacher knows you by this picture.').waitFor()
      }),
    )
    await teacher.getByRole('button', { name: 'Let all in (3)' }).click()
    await Promise.all(
      pages.map(async (page, n) => {
        await page.getByLabel('Your name').fill(names[n]!.toLowerCase())
        await page.locator('.pictures label').nth(n).click()
        await page.getByRole('button', { name: 'Play' }).click()
        await page.waitForURL(/\/play\/.*\/game$/)
      }),
    )
    const [ada] = pages as [Page]
    await playLevel(ada.frameLocator('#game'), 1, 4)
    await teacher.getByRole('row', { name: /Ada/ }).getByText('✓').first().waitFor()
    await teacher.getByRole('button', { name: 'Look at me' }).click()
    await Promise.all(pages.map((page) => page.getByText('Look at your teacher').waitFor()))
    await teacher.getByRole('button', { name: 'Let the games go on' }).click()
    await Promise.all(pages.map((page) => page.getByText('Look at your teacher').waitFor({ state: 'hidden' })))
    expect(await violations(teacher)).toEqual([])
    await ada.goto('/join/result')
    await ada.getByText('You have 3 of 3 stars.').waitFor()
    expect([await overflow(ada), await violations(ada)]).toEqual([0, []])
    await ada.getByRole('button', { name: 'Play again' }).click()
    await ada.waitForURL(/\/play\/.*\/game$/)
    await teacher.getByRole('link', { name: 'End the lesson' }).click()
    await teacher.getByRole('button', { name: 'End the lesson' }).click()
    await Promise.all(pages.map((page) => page.getByText('You are no longer in the lesson.').waitFor()))
    await teacher.getByRole('row', { name: /Ada/ }).first().waitFor()
    expect(await violations(teacher)).toEqual([])
  })

  test(
    'a phone waits, names itself and plays; the page follows the lesson without a press',
    { timeout: 240_000 },
    async () => {
      const { lessons, schools } = (await addStudio(system, 'Oak School', { kind: 'school' })).on()
      const { slug: next } = await system.publish(await system.studio('Grey Elk'), 'Moon Base')
      const { classId } = await schools.createSchoolClass({ name: '4b', pupilNames: ['Ada'] })
      const { lesson } = await lessons.openLesson({ classId, gameSlug: slug, senderIp: '127.0.0.1' })
      const { lessonId, code } = lesson!
      await using context = await browser!.newContext({
        baseURL: system.url,
        locale: 'de',
        viewport: { width: 360, height: 740 },
      })
      const page = await context.newPage()
      const look = async (name: string) => {
        expect([name, await overflow(page), await violations(page)]).toEqual([name, 0, []])
      }
      await page.goto('/join')
      await look('join')
      await page.getByLabel('Welchen Code hast du?').fill(code)
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
      await lessons.changeLesson({ lessonId, gameSlug: next })
      await page.waitForURL(`**/play/${next}/game`, { timeout: 60_000 })
      // a reload goes on; a closed tab leaves the seat
      await page.reload()
      await page.getByRole('button', { name: 'Ich bin fertig' }).waitFor()
      const left = `select until < now() + interval '16 seconds' as is from seat where ended is null`
      const isLeft = async () => (await system.database.sql<{ is: boolean }>(left))[0]!.is
      await expect.poll(isLeft, { timeout: 30_000 }).toBe(false)
      await page.close({ runBeforeUnload: true })
      await expect.poll(isLeft, { timeout: 30_000 }).toBe(true)
      const child = await context.newPage()
      await child.goto('/join')
      await child.getByLabel('Welchen Code hast du?').waitFor()
      expect((await context.cookies()).map(({ name }) => name)).toEqual([])
    },
  )
})
