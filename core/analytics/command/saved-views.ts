import { savedViews as limits } from '../../../shared/limits.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import { line } from '../../process/rules/text.ts'
import type { Store } from '../../store.ts'
import { viewAddress, type ViewAddress } from '../rules/saved-view.ts'
import type { SavedView } from '../store/saved-views.ts'

type Needs = Pick<Store, 'games' | 'savedViews'>
/** The studio that must own the game; undefined: any game. */
type Studio = number | undefined

/** The number of a game. @throws Refusal 'not-found' */
export async function gameNumber({ games }: Pick<Store, 'games'>, studio: Studio, gameId: string): Promise<number> {
  const tenants = await games.tenants(gameId, studio)
  if (!tenants) throw noGame()
  return tenants.game
}

const nameOf = (name: string): string => line(name, 'name', { min: 1, max: limits.name })
const noView = (): Refusal => new Refusal('not-found', 'There is no such view: it may have been deleted.')

/** By name. @throws Refusal 'not-found' */
export const listViews = async (store: Needs, studio: Studio, gameId: string): Promise<SavedView[]> =>
  store.savedViews.list(await gameNumber(store, studio, gameId))

/** @throws Problem, Refusal */
export async function saveView(
  store: Needs,
  studio: Studio,
  { gameId, name, ...address }: ViewAddress & { readonly gameId: string; readonly name: string },
): Promise<{ viewId: string }> {
  const [called, kept] = [nameOf(name), viewAddress(address)]
  const added = await store.savedViews.add(await gameNumber(store, studio, gameId), called, kept)
  if (!added) throw new Refusal('quota-exceeded', `There are ${limits.ofGame} saved views: delete one first.`)
  return added
}

/** @throws Problem, Refusal 'not-found' */
export async function renameView(
  store: Needs,
  studio: Studio,
  { gameId, viewId, name }: { readonly gameId: string; readonly viewId: string; readonly name: string },
): Promise<void> {
  const called = nameOf(name)
  if (!(await store.savedViews.rename(await gameNumber(store, studio, gameId), viewId, called))) throw noView()
}

/** @throws Refusal 'not-found' */
export async function deleteView(
  store: Needs,
  studio: Studio,
  { gameId, viewId }: { readonly gameId: string; readonly viewId: string },
): Promise<void> {
  if (!(await store.savedViews.remove(await gameNumber(store, studio, gameId), viewId))) throw noView()
}
