import type { FrameLocator, Page } from 'playwright-core'

/** Plays one level of the example quiz, which shows its map, and leads back to the map. */
export async function playLevel(game: FrameLocator | Page, level: number, right: number): Promise<void> {
  await game.getByRole('button', { name: new RegExp(`Level ${level}`) }).click()
  for (let question = 0; question < 4; question++) {
    await game.locator(`[data-choice="${question < right ? 0 : 1}"]`).click()
    await game.locator('.next').click()
  }
  await game.getByRole('heading', { name: `${right} of 4 right` }).waitFor()
  await game.getByRole('button', { name: 'Back to the trail' }).click()
}
