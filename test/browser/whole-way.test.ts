import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildQuiz } from '../../examples/quiz/build.ts'
import { startBrowser } from '../support/browser.ts'
import { cuttable } from '../support/cuttable.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import { basic, xapiClient } from '../support/xapi.ts'

const browser: Browser | undefined = await startBrowser()
const MiB = 2 ** 20
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!browser)('the whole way of a studio, from the sign-up to data', () => {
  let system: PortalSystem
  let way: Awaited<ReturnType<typeof cuttable>>
  let folder: string
  let page: Page
  let gameId: string
  let credential: { key: string; secret: string }
  const failures: string[] = []
  const game = (): FrameLocator => page.frameLocator('#game')

  const visitor = async (): Promise<[BrowserContext, Page]> => {
    const context = await browser!.newContext({ baseURL: way.url, viewport: { width: 1300, height: 900 } })
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => failures.push(message))
    page.on('console', (message) => /Content Security Policy/.test(message.text()) && failures.push(message.text()))
    return [context, page]
  }
  const signUp = async (page: Page, studio: string, email: string) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByLabel('Name of the studio').fill(studio)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('a few words in a row')
    await page.getByRole('button', { name: 'Open the studio' }).click()
  }

  beforeAll(async () => {
    system = await startPortalSystem()
    way = await cuttable(system.portal.port)
    folder = await mkdtemp(join(tmpdir(), 'lrs-way-'))
    // three parts
    await buildQuiz(join(folder, 'star-trail.zip'), { 'music.bin': randomBytes(34 * MiB) })
    page = (await visitor())[1]
  })
  afterAll(async () => {
    await browser?.close()
    await way.close()
    await rm(folder, { recursive: true, force: true })
    await system.close()
    if (failures.length > 0) throw new Error(`Pages complained: ${failures.join('; ')}`)
  })

  test('1. it signs up, out and in again', async () => {
    await signUp(page, 'Blue Fox', 'fox@example.org')
    await page.getByRole('heading', { name: 'Add your first game' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto('/games')
    await page.getByLabel('E-mail address').fill('fox@example.org')
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('fox@example.org')
    await page.getByLabel('Password').fill('a few words in a row')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Add your first game' }).waitFor()
  })

  test('2. it makes a game and tells about it, with an image and a teaching note', async () => {
    await page.getByRole('link', { name: 'New game' }).click()
    await page.getByLabel('Name').fill('Star Trail')
    await page.getByRole('button', { name: 'Create draft' }).click()
    gameId = /[\da-f-]{36}/.exec(page.url())![0]
    await page.getByRole('link', { name: 'Edit details' }).click()
    await page.getByLabel('Summary').fill('From the Moon to the stars in twelve questions.')
    await page.getByLabel('Description').fill('A quiz of three levels.\n\nFor everybody from ten years on.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('link', { name: 'Media' }).click()
    await page.getByLabel('Add an image').setInputFiles({ name: 'sky.png', mimeType: 'image/png', buffer: png })
    await page.getByLabel('What the image shows').fill('The sky at night')
    await page.getByRole('button', { name: 'Save text of sky.png' }).click()
    await page.getByRole('img', { name: 'The sky at night' }).waitFor()
    await page
      .getByLabel('Add a document')
      .setInputFiles({ name: 'Lesson.md', mimeType: 'text/markdown', buffer: Buffer.from('# Lesson') })
    await page.getByRole('link', { name: 'Lesson.md' }).waitFor()
  })

  test('3. and 4. it uploads the build over a connection that breaks off; it is checked and staged', async () => {
    await page.getByRole('link', { name: 'Builds', exact: true }).click()
    await page.getByRole('link', { name: 'Upload a build' }).first().click()
    way.cutAfter(20 * MiB)
    await page.getByLabel('Browser build').setInputFiles(join(folder, 'star-trail.zip'))
    await page.getByText('Connection lost').waitFor()
    way.mend()
    await page.getByText('The build was checked and is staged').waitFor({ timeout: 200_000 })
  })

  test('5. it tries the game as a test learner and sees what it does, and what is refused', async () => {
    await page.getByRole('link', { name: 'Open the sandbox' }).click()
    await page.getByLabel('Name of a new test learner').fill('Tess')
    await page.getByRole('button', { name: 'Start the session' }).click()
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByText('Live', { exact: true }).waitFor()
    await playLevel(game(), 1, 4)
    await calls.getByText('Tess completed Level 1: The Moon, 100 %').waitFor()
    // a game with a mistake: its own code sends it, from its frame
    const frame = page.frames().find((frame) => frame !== page.mainFrame())!
    const wrong = {
      verb: { id: 'http://adlnet.gov/expapi/verbs/scored' },
      object: { id: 'https://x.example/a' },
      result: { score: { scaled: 80 } },
    }
    await frame.evaluate(`(() => {
      const query = new URLSearchParams(location.search)
      const headers = { Authorization: query.get('auth'), 'X-Experience-API-Version': '1.0.3', 'Content-Type': 'application/json' }
      return fetch(query.get('endpoint') + 'statements', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(wrong))} })
    })()`)
    const rejected = calls.locator('.rejected')
    await rejected.getByText('400').waitFor()
    await rejected.locator('.path').getByText('result.score.scaled').waitFor()
  })

  test('6. it submits, and a reviewer approves', async () => {
    await page.goto(`/games/${gameId}/builds`)
    await page.getByRole('link', { name: 'Submit for review' }).click()
    await page.getByLabel('For the reviewer').fill('Level 3 is hard.')
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByText('Submitted. Waiting for review.').waitFor()
    const [owls, desk] = await visitor()
    await signUp(desk, 'Wise Owl', 'owl@example.org')
    await desk.getByRole('heading', { name: 'Add your first game' }).waitFor()
    await system.admin.accounts.setReviewer({ email: 'owl@example.org', reviewer: true })
    await desk.goto('/reviews')
    await desk.getByRole('link', { name: 'Star Trail' }).click()
    await desk.getByText('Level 3 is hard.').waitFor()
    await desk.getByLabel('Note for the studio').fill('Lovely.')
    await desk.getByRole('button', { name: 'Approve and publish' }).click()
    await desk.getByText('The game is approved.').waitFor()
    await owls.close()
  })

  test('7. it takes the secret, which is shown once and works over REST', async () => {
    await page.goto(`/games/${gameId}/builds`)
    await page.getByText('Lovely.').waitFor()
    await page.goto(`/games/${gameId}/credential`)
    await page.getByRole('button', { name: 'Show the secret' }).click()
    credential = {
      key: await page.locator('#key-text').innerText(),
      secret: await page.locator('#secret-text').innerText(),
    }
    const endpoint = await page.locator('#endpoint-text').innerText()
    const { post } = xapiClient(new URL(endpoint).origin, basic(credential.key, credential.secret))
    const account = { homePage: 'https://school.example', name: 'ada' }
    const { status } = await post({
      actor: { name: 'Ada', account },
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
      object: { id: 'https://x.example/level-9', definition: { name: { en: 'Level 9' } } },
      result: { score: { scaled: 0.8 }, completion: true },
    })
    expect(status).toBe(200)
    await page.reload()
    expect(await page.content()).not.toContain(credential.secret)
  })

  test('8. it sees what learners do: of the player, of its servers, as it happens', async () => {
    await page.goto(`/games/${gameId}/statements`)
    await page.getByText('Ada completed Level 9').waitFor()
    const [learners, learner] = await visitor()
    await learner.goto('/')
    await learner.getByRole('link', { name: 'Star Trail' }).click()
    await learner.getByRole('img', { name: 'The sky at night' }).waitFor()
    await learner.getByRole('link', { name: 'Play', exact: true }).click()
    await learner.getByLabel('What do you want to be called?').fill('Grace')
    await learner.getByRole('button', { name: 'Play' }).click()
    await playLevel(learner.frameLocator('#game'), 1, 3)
    await page.getByText('Grace completed Level 1: The Moon').waitFor()
    await learners.close()
    const shown = async (path: string) => {
      await page.goto(`/games/${gameId}/${path}`)
      return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
    }
    await expect.poll(() => shown('')).toMatch(/Players 2 .*completed/i)
    await expect.poll(() => shown('data/progress')).toContain('Level 1: The Moon')
    // what was tried in the sandbox is not among it
    const learned = await shown('learners')
    expect(learned).toContain('Grace')
    expect(learned).not.toContain('Tess')
    await page.goto('/games')
    expect(await page.locator('main').innerText()).toContain('Published')
  })
})
