import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Channel, UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { startBrowser, violations } from '../support/browser.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { playLevel } from '../support/quiz.ts'
import type { Studio } from '../support/studios.ts'

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('the link to a beta', () => {
  let system: PortalSystem
  let studio: Studio
  beforeAll(async () => {
    system = await startPortalSystem()
    studio = await system.studio('Blue Fox')
  })
  afterAll(async () => {
    await browser?.close()
    await system.close()
  })

  test('is made by the studio, and played by a person who is no member, whose statements go to the sandbox alone', async () => {
    const { gameId } = await system.publish(studio, 'Star Trail')
    await system.upload(studio, UploadKind.BROWSER_BUILD, 'quiz.zip', system.quiz, gameId, { channel: Channel.BETA })
    await using member = await browser!.newContext({ baseURL: system.url })
    await member.addCookies([
      { name: 'session', value: studio.session, url: system.url, httpOnly: true, sameSite: 'Lax' },
    ])
    const own = await member.newPage()
    await own.goto(`/games/${gameId}/builds`)
    await own.getByRole('link', { name: 'Link to the beta' }).click()
    expect(await violations(own)).toEqual([])
    await own.getByRole('button', { name: 'Make a link' }).click()
    const link = (await own.locator('#link').textContent())!
    expect(await violations(own)).toEqual([])

    await using anybody = await browser!.newContext({ viewport: { width: 1200, height: 800 } })
    const page = await anybody.newPage()
    const game = page.frameLocator('#game')
    await page.goto(link)
    await page.getByText('This is a test version').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('What do you want to be called?').fill('Eve')
    await page.getByRole('button', { name: 'Play the test version' }).click()
    await game.getByText('Playing as Eve.').waitFor()
    await page.reload()
    await playLevel(game, 1, 4)
    await game.getByText('Connected').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You have left the test version.').waitFor()
    expect(await anybody.cookies()).toEqual([])

    const credential = (await studio.on().games.getGame({ gameId })).game!
    const stored = async (key: string) => {
      const { json } = await system.connections[0]!.as('Bearer service-token-of-the-tests-0123456789', {
        'x-lrs-credential': key,
        'x-experience-api-version': '1.0.3',
      }).statements.queryStatements({ ascending: true, limit: 500 })
      return json.map((bytes) => JSON.parse(Buffer.from(bytes).toString()) as { actor: { name: string } })
    }
    const tried = await stored(credential.sandboxKey)
    expect(tried.length).toBeGreaterThan(1)
    expect(new Set(tried.map(({ actor }) => actor.name))).toEqual(new Set(['Eve']))
    expect(await stored(credential.credential!.key)).toEqual([])
  })
})
