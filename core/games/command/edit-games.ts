import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Run } from '../../process/database/database.ts'
import type { PlayerSettings } from '../store/game-pages.ts'
import { lifeOf, type GameRow } from '../store/games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { Problem } from '../../process/problem.ts'
import { catalogue } from '../../../shared/catalogue.ts'
import { gameFacts, languageTag } from '../rules/catalogue.ts'
import type { SetGameTextRequest, UpdateGameRequest } from '../../../gen/lrs/v1/games_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { embedOrigins } from '../rules/embed-origins.ts'
import { launchLink } from '../rules/launch-link.ts'
import { isDeletable, isInReview } from '../rules/lifecycle.ts'
import { effectiveQuotas } from '../rules/quotas.ts'
import { slugOf } from '../../process/rules/slug.ts'
import { gameTexts, line, paragraphs } from '../../process/rules/text.ts'
import { editPage, onGame } from './edit-page.ts'
import { ours, say } from '../../../shared/say.ts'

type OfGame = { readonly gameId: string }
type OfFile = OfGame & { readonly fileId: string }

/** Adds a draft and returns its id (UUID). @throws Problem, Refusal 'quota-exceeded' */
export async function createGame({ transaction, games }: Store, { studio }: Developer, given: string): Promise<string> {
  const name = line(given, 'name', gameTexts.name)
  return transaction(async (run) => {
    const most = effectiveQuotas(await games.lockStudio(run, studio)).games
    if ((await games.count(run, studio)) >= most) {
      throw new Refusal(
        'quota-exceeded',
        say`Your studio has ${most} games, drafts included, which is as many as it may have: delete a draft first.`,
        { rule: 'limits#games' },
      )
    }
    return games.insert(run, studio, name, await games.chooseSlug(run, slugOf(name, 'game')))
  })
}

/** Changes the texts of the page. The slug follows the name until the first publication; from then on links use it. */
export async function updateGame(
  { store }: Pick<Core, 'store'>,
  developer: Developer,
  { gameId, ...given }: Fields<UpdateGameRequest>,
): Promise<void> {
  const [name, summary, description, consent, facts] = checkAll(
    () => line(given.name, 'name', gameTexts.name),
    () => line(given.summary, 'summary', gameTexts.summary),
    () => paragraphs(given.description, 'description', gameTexts.description),
    () => (given.consent === undefined ? undefined : paragraphs(given.consent, 'consent', gameTexts.consent)),
    () => given.facts && gameFacts(given.facts),
  )
  await editPage(store, developer, gameId, async (run, game) => {
    const keeps = game.live !== null || slugOf(name, 'game') === slugOf(game.name, 'game')
    const slug = keeps ? game.slug : await store.games.chooseSlug(run, slugOf(name, 'game'), game.id)
    await store.gamePages.update(run, game.id, slug, { name, summary, description, consent, facts })
  })
}

/** Sets the texts in another language than that of the page; without any they are removed. @throws Problem */
export async function setGameText(
  { store }: Pick<Core, 'store'>,
  developer: Developer,
  { gameId, texts: given }: Fields<SetGameTextRequest>,
): Promise<void> {
  const [language, summary, description, consent] = checkAll(
    () => languageTag(given?.language ?? '', 'language'),
    () => line(given?.summary ?? '', 'summary', gameTexts.summary),
    () => paragraphs(given?.description ?? '', 'description', gameTexts.description),
    () => paragraphs(given?.consent ?? '', 'consent', gameTexts.consent),
  )
  const texts = summary + description + consent === '' ? undefined : { summary, description, consent }
  await editPage(store, developer, gameId, async (run, { id }) => {
    if (!(await store.gamePages.setText(run, id, language, texts)))
      throw new Problem('language', say`is one too many: ${catalogue.texts} at most`)
  })
}

/** Sets how the player shows the game. @throws Problem, Refusal 'not-found' */
export async function setPlayer(
  store: Store,
  developer: Developer,
  gameId: string,
  given: PlayerSettings,
): Promise<void> {
  const player = { ...given, embed: embedOrigins(given.embed), launchLink: launchLink(given.launchLink) }
  await onGame(store, developer, gameId, (run, { id }) => store.gamePages.setPlayer(run, id, player))
}

/** Resets the draft to the accepted page. @throws Refusal 'conflict' */
export const discardChanges = ({ store }: Pick<Core, 'store'>, developer: Developer, { gameId }: OfGame) =>
  editPage(store, developer, gameId, async (run, game) => {
    if (game.live === null) {
      throw new Refusal('conflict', 'The game has no accepted page yet, so its changes cannot be discarded.')
    }
    await store.gamePages.discard(run, game.id)
  })

/** Removes a game that was never published, with its files. @throws Refusal 'conflict' */
export const deleteGame = ({ store }: Pick<Core, 'store'>, developer: Developer, { gameId }: OfGame) =>
  onGame(store, developer, gameId, async (run, game) => {
    if (!isDeletable(lifeOf(game))) throw new Refusal('conflict', ours(whyKept(game)))
    await store.games.end(run, game.id)
    await store.credentials.endAll(run, game.id)
  })

function whyKept({ state, live }: GameRow): string {
  if (live === null && isInReview(state)) return 'The game is in review. Withdraw it from review, then delete it.'
  return 'The game was published, and what its learners did is kept: it can be withdrawn, but not deleted.'
}

/** Sets the text that stands for an image, or names a document. @throws Refusal 'not-found' */
export async function describeFile(core: Core, developer: Developer, file: OfFile & { text: string }): Promise<void> {
  const text = line(file.text, 'text', gameTexts.fileText)
  await editFile(core, developer, file, (run, game) => core.store.gamePages.describeFile(run, game, file.fileId, text))
}

/** Swaps a file with the next or the previous one of its kind. @throws Refusal 'not-found' */
export const moveFile = (core: Core, developer: Developer, file: OfFile & { later: boolean }) =>
  editFile(core, developer, file, (run, game) =>
    core.store.gamePages.moveFile(run, game, file.fileId, file.later ? 1 : -1),
  )

/** @throws Refusal 'not-found' */
export const removeFile = (core: Core, developer: Developer, file: OfFile) =>
  editFile(core, developer, file, (run, game) => core.store.gamePages.removeFile(run, game, file.fileId))

const editFile = (
  { store }: Core,
  developer: Developer,
  { gameId }: OfFile,
  edit: (run: Run, game: number) => Promise<boolean>,
): Promise<void> =>
  editPage(store, developer, gameId, async (run, { id }) => {
    if (!(await edit(run, id))) throw new Refusal('not-found', 'The game has no such file (any more).')
  })
