// Pictures of the docs, and of the code beside a game: a part of `npm run screenshots`.
import type { Page } from 'playwright-core'
import type { Shoot } from './screenshots-of-learners.ts'

export async function shootDocs(page: Page, gameId: string, shoot: Shoot): Promise<void> {
  for (const [name, path] of [
    ['docs', '/docs'],
    ['guide', '/docs/launch'],
    ['found', '/docs?q=launch+token'],
  ] as const) {
    await page.setViewportSize({ width: 1120, height: 900 })
    await page.goto(path)
    await shoot(page, name)
  }
  await page.goto(`/games/${gameId}/credential`)
  await page.locator('[aria-labelledby=engines] summary').getByText('Godot 4').click()
  await shoot(page, 'engines', '[aria-labelledby=engines]')
}
