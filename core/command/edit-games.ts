import { Refusal } from '../refusal.ts'
import { noGame } from '../query/games.ts'
import { lifeOf, type GameRow, type GameTexts } from '../store/games.ts'
import type { Developer } from '../store/studio-sessions.ts'
import type { Store } from '../store/store.ts'
import { checkAll } from '../studio/check-all.ts'
import { isDeletable, isInReview } from '../studio/lifecycle.ts'
import { effectiveQuotas } from '../studio/quotas.ts'
import { slugOf } from '../studio/slug.ts'
import { gameTexts, line, paragraphs } from '../studio/text.ts'

/** Adds a draft and returns its id (UUID). @throws Problem, Refusal 'quota-exceeded' */
export async function createGame({ transaction, games }: Store, { studio }: Developer, given: string): Promise<string> {
  const name = line(given, 'name', gameTexts.name)
  return transaction(async (run) => {
    const most = effectiveQuotas(await games.lockStudio(run, studio)).games
    if ((await games.count(run, studio)) >= most) {
      throw new Refusal('quota-exceeded', `Your studio has ${most} games, drafts included, which is as many as it may have: delete a draft first.`, { rule: 'limits#games' })
    }
    return games.insert(run, studio, name, await games.chooseSlug(run, slugOf(name, 'game')))
  })
}

/** Changes what people read. The slug follows the name until the game was published: then there are links to it. */
export async function updateGame({ transaction, games }: Store, { studio }: Developer, gameId: string, given: GameTexts): Promise<void> {
  const [name, summary, description] = checkAll(
    () => line(given.name, 'name', gameTexts.name),
    () => line(given.summary, 'summary', gameTexts.summary),
    () => paragraphs(given.description, 'description', gameTexts.description),
  )
  await transaction(async (run) => {
    const game = await games.lock(run, gameId, studio)
    if (!game) throw noGame()
    const keeps = game.live !== null || slugOf(name, 'game') === slugOf(game.name, 'game')
    const slug = keeps ? game.slug : await games.chooseSlug(run, slugOf(name, 'game'), game.id)
    await games.update(run, game.id, slug, { name, summary, description })
  })
}

/** Removes a game that was never published, with its files. @throws Refusal 'conflict' */
export async function deleteGame({ transaction, games }: Store, { studio }: Developer, gameId: string): Promise<void> {
  await transaction(async (run) => {
    const game = await games.lock(run, gameId, studio)
    if (!game) throw noGame()
    if (!isDeletable(lifeOf(game))) throw new Refusal('conflict', whyKept(game))
    await games.end(run, game.id)
  })
}

function whyKept({ state, live }: GameRow): string {
  if (live === null && isInReview(state)) return 'The game is in review: take it back first, then it can be deleted.'
  return 'The game was published, and what its learners did is kept: it can be withdrawn, but not deleted.'
}

/** Sets the text that stands for an image, or names a document. @throws Refusal 'not-found' */
export async function describeFile({ games }: Store, { studio }: Developer, gameId: string, fileId: string, text: string): Promise<void> {
  if (!(await games.describeFile(studio, gameId, fileId, line(text, 'text', gameTexts.fileText)))) throw noFile()
}

/** Changes places with the next one of its kind, or the one before. @throws Refusal 'not-found' */
export async function moveFile({ games }: Store, { studio }: Developer, gameId: string, fileId: string, later: boolean): Promise<void> {
  if (!(await games.moveFile(studio, gameId, fileId, later ? 1 : -1))) throw noFile()
}

/** @throws Refusal 'not-found' */
export async function removeFile({ games }: Store, { studio }: Developer, gameId: string, fileId: string): Promise<void> {
  if (!(await games.removeFile(studio, gameId, fileId))) throw noFile()
}

const noFile = () => new Refusal('not-found', 'The game has no such file (any more).')
