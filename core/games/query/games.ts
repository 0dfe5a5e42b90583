import { hashSecret } from '../../process/secret.ts'
import { lacksFactor, withWaiting } from '../../accounts/access/developer.ts'
import { noGame } from '../../records/access/no-game.ts'
import { requireReviewer, type Keeper, type Visitor } from '../../accounts/access/visitor.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { CredentialView, HeldOfGame, ListedCredential } from '../../records/store/cell/credential-views.ts'
import type {
  BuildView,
  GameSummary,
  GameView,
  LocatedFile,
  PublishedGame,
  WaitingReview,
} from '../store/read-games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { WaitingProfile } from '../../accounts/store/studio-profiles.ts'
import type { Store } from '../../store.ts'
import { catalogue } from '../../../shared/catalogue.ts'
import { textsFor } from '../rules/game-texts.ts'
import { queryOf } from '../rules/catalogue.ts'
import type { Wanted } from '../../../shared/catalogue.ts'
import { allowed, isInReview, type Action } from '../rules/lifecycle.ts'

/** A game as admins list it, with its newest credential. */
export interface ListedGame extends GameSummary {
  readonly credential?: CredentialView | null
}

/** A game as one visitor sees it. */
export interface SeenGame extends GameView, HeldOfGame {
  readonly allowed: readonly Action[]
}

/** A studio's own games; for an admin the games of all studios. @param slug empty: any */
export async function listGames({ games, credentials }: Store, visitor: Keeper, slug: string): Promise<ListedGame[]> {
  if (visitor !== 'admin') return games.list(visitor.studio, slug)
  const listed = await games.list(null, slug)
  const newest = await credentials.newestOf(listed.map(({ gameId }) => gameId))
  return listed.map((game) => ({ ...game, credential: newest.get(game.gameId) ?? null }))
}

/** Published games, the newest first: of a studio, or what is wanted. @throws Problem */
export async function listPublishedGames(
  { games }: Store,
  {
    studioSlug,
    readLanguages,
    ...wanted
  }: Wanted & { readonly studioSlug: string; readonly readLanguages: readonly string[] },
): Promise<GameSummary[]> {
  const query = studioSlug === '' ? queryOf(wanted) : ''
  const found = query === '' ? games.published(studioSlug, catalogue.games) : games.found(query, catalogue.games)
  return (await found).map((game) => textsFor(game, readLanguages))
}

/** A studio's own game; for a reviewer, a game in review without the studio's own data. @throws Refusal 'not-found' */
export async function getGame(
  { games, credentials }: Pick<Store, 'games' | 'credentials'>,
  visitor: Visitor,
  gameId: string,
): Promise<SeenGame> {
  const [viewed, held] = await Promise.all([games.view(gameId), credentials.view(gameId)])
  if (!viewed) throw noGame(visitor)
  const game = { ...viewed, ...held }
  const { state, builds, credential, changed } = game
  const has = (role: BuildView['role']) => builds.some((build) => build.role === role)
  const besides = { changed, beta: has('beta'), kept: builds.some(({ keptUntil }) => keptUntil > 0) }
  const secret = !credential ? 'none' : credential.revealed ? 'revealed' : 'unseen'
  const life = { live: has('live'), staged: has('staged') }
  const actions = state === null ? [] : allowed({ state, ...life }, secret, besides)
  if (visitor === 'admin') return { ...game, allowed: actions.filter((action) => action === 'withdraw') }
  if (game.studio !== null && game.studio === visitor.studio)
    return { ...game, allowed: visitor.role === 'analyst' ? [] : actions }
  if (visitor.reviewer && state !== null && isInReview(state))
    return {
      ...game,
      builds: builds.filter(({ role }) => role === 'live' || role === 'staged'),
      credential: null,
      sandboxKey: null,
      betaLinked: 0,
      reported: false,
      played: false,
      allowed: [],
    }
  throw noGame()
}

/** A studio's own game by its id or slug, for callers that may see no other data of it. @throws Refusal 'not-found' */
export async function findBuilds({ games, credentials }: Store, who: Developer, named: string): Promise<SeenGame> {
  const gameId = await games.findOwn(who.studio, named)
  if (gameId === undefined) throw noGame()
  return getGame({ games, credentials }, who, gameId)
}

/** What waits for a decision, the oldest first. @throws Refusal 'forbidden' */
export async function listReviews(
  { games, studioProfiles }: Store,
  visitor: Visitor,
): Promise<{ reviews: WaitingReview[]; profiles: WaitingProfile[] }> {
  requireReviewer(visitor)
  const [reviews, profiles] = await Promise.all([games.waiting(), studioProfiles.waiting()])
  return { reviews, profiles }
}

/** A game that can be played. @throws Refusal 'not-found' */
export async function getPublishedGame(
  { games }: Store,
  { slug, readLanguages }: { readonly slug: string; readonly readLanguages: readonly string[] },
): Promise<PublishedGame & { readonly textLanguage: string }> {
  const game = await games.viewPublished(slug)
  if (!game) throw new Refusal('not-found', 'There is no such game, or it is not public any more.')
  return textsFor(game, readLanguages)
}

/** Finds an image or document that the session may see; a guest's session is empty. @throws Refusal 'not-found' */
export async function locateFile(
  { store: { games, studioSessions }, notices, config }: Pick<Core, 'store' | 'notices' | 'config'>,
  session: string,
  fileId: string,
): Promise<LocatedFile> {
  const found = session === '' ? undefined : await studioSessions.find(hashSecret(session))
  const waiting = found && withWaiting(found, notices.mail)
  const person = waiting && !lacksFactor(waiting, config.secondFactor) ? waiting : undefined
  const studio = person && !(person.waits && person.role !== 'owner') ? person.studio : null
  const file = await games.locateFile(fileId, studio, person?.reviewer ?? false)
  if (!file) throw new Refusal('not-found', 'This file is not available.')
  return file
}

/** All credentials that a game has had, the newest first; for admins. @throws Refusal 'not-found' */
export async function listCredentials({ credentials }: Store, gameId: string): Promise<ListedCredential[]> {
  const found = await credentials.ofGame(gameId)
  if (!found) throw new Refusal('not-found', 'There is no game with this id.', { subject: 'game' })
  return found
}
