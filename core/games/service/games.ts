import type { HandlerContext } from '@connectrpc/connect'
import { BuildKind, GameState, Orientation, GameService } from '../../../gen/lrs/v1/games_pb.js'
import type { Keeper, Visitor } from '../../accounts/access/visitor.ts'
import {
  createGame,
  deleteGame,
  describeFile,
  discardChanges,
  moveFile,
  removeFile,
  setGameText,
  setPlayer,
  updateGame,
} from '../command/edit-games.ts'
import { reportGame } from '../command/report-game.ts'
import { revealSecret, rotateSecret } from '../command/game-secrets.ts'
import { decideReview, submitForReview, withdraw } from '../command/review-games.ts'
import type { Core } from '../../context.ts'
import { warnOfQuotas } from '../command/warn-of-quotas.ts'
import {
  getGame,
  getPublishedGame,
  listGames,
  listPublishedGames,
  listReviews,
  locateFile,
  type SeenGame,
  type ListedGame,
} from '../query/games.ts'
import type { WaitingProfile } from '../../accounts/store/studio-profiles.ts'
import type { BuildView, FileView, GameView } from '../store/read-games.ts'
import { activityId } from '../../records/rules/activity-id.ts'
import { consentVersion } from '../../analytics/rules/consent.ts'
import { states, type State } from '../rules/lifecycle.ts'
import { buildFolder } from '../rules/storage-keys.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { playerMessage, playerSettings } from './player-settings.ts'
import { NotAudited, reads, game, ofGame, ofFile } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer, isAdmin, person } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'

export const gameStates: Readonly<Record<State, GameState>> = byName(GameState)
const buildKinds = byName(BuildKind)

const visitor = async (core: Core, context: HandlerContext): Promise<Visitor> =>
  isAdmin(core, context) ? 'admin' : person(core, context)
const keeper = async (core: Core, context: HandlerContext): Promise<Keeper> =>
  isAdmin(core, context) ? 'admin' : developer(core, context)

/** Games of studios, for the portal and for admins. */
export const gameService = service(GameService, {
  createGame: method(
    { right: 'developer', token: 'games', audit: { action: 'game.create', subject: (_, made) => made && game(made) } },
    async (core, { name }, context) => {
      const who = await developer(core, context)
      const gameId = await createGame(core.store, who, name)
      await warnOfQuotas(core, who)
      return { gameId }
    },
  ),
  listGames: method({ right: 'analyst', token: 'read', audit: reads }, async (core, { slug }, context) => ({
    games: (await listGames(core.store, await keeper(core, context), slug)).map(summaryOf),
  })),
  getGame: method({ right: 'account', token: 'read', audit: reads }, async (core, { gameId }, context) => ({
    game: {
      ...gameOf(await getGame(core.store, await visitor(core, context), gameId)),
      activityId: activityId(core.config.authorityHome, gameId),
    },
  })),
  updateGame: method({ right: 'developer', token: 'games', audit: ofGame('game.update') }, byDeveloper(updateGame)),
  setGameText: method(
    {
      right: 'developer',
      token: 'games',
      audit: {
        ...ofGame('game.set-text'),
        details: ({ texts }) => ({ language: texts?.language.slice(0, 35) || 'none' }),
      },
    },
    byDeveloper(setGameText),
  ),
  setPlayer: method(
    {
      right: 'developer',
      token: 'games',
      audit: {
        ...ofGame('game.set-player'),
        details: ({ player }) => ({
          isolated: player?.isolated ?? false,
          // an enum may have a number that this version does not know: it counts as any
          orientation: (Orientation[player?.orientation ?? 0] ?? 'unspecified').toLowerCase(),
          pages: player?.embed.join(' ') || 'none',
          devices: player?.devices ?? false,
          link: player?.launchLink || 'none',
        }),
      },
    },
    async (core, { gameId, player }, context) =>
      setPlayer(core.store, await developer(core, context), gameId, playerSettings(player)),
  ),
  deleteGame: method({ right: 'developer', audit: ofGame('game.delete') }, byDeveloper(deleteGame)),
  describeFile: method(
    { right: 'developer', token: 'games', audit: ofFile('game.describe-file') },
    byDeveloper(describeFile),
  ),
  moveFile: method({ right: 'developer', token: 'games', audit: ofFile('game.move-file') }, byDeveloper(moveFile)),
  removeFile: method(
    { right: 'developer', token: 'games', audit: ofFile('game.remove-file') },
    byDeveloper(removeFile),
  ),
  discardChanges: method(
    { right: 'developer', token: 'games', audit: ofGame('game.discard-changes') },
    byDeveloper(discardChanges),
  ),
  locateFile: method({ right: 'public', audit: reads }, (core, { fileId }, { requestHeader }) =>
    locateFile(core, requestHeader.get('x-lrs-session') ?? '', fileId),
  ),
  submitForReview: method(
    { right: 'developer', token: ['upload', 'games'], audit: ofGame('game.submit') },
    byDeveloper(submitForReview),
  ),
  withdraw: method(
    { right: 'developer', token: 'games', audit: ofGame('game.withdraw') },
    async (core, { gameId, state }, context) => {
      const seen = states.find((name) => gameStates[name] === state)
      return { state: gameStates[await withdraw(core.store, await keeper(core, context), gameId, seen)] }
    },
  ),
  listReviews: method({ right: 'account', audit: reads }, async (core, _request, context) => {
    const { reviews, profiles } = await listReviews(core.store, await visitor(core, context))
    return {
      profiles: profiles.map(profileMessage),
      reviews: reviews.map((one) => ({ ...one, game: summaryOf(one.game), build: buildOf(one.build) })),
    }
  }),
  decideReview: method(
    {
      right: 'account',
      audit: {
        ...ofGame('game.decide-review'),
        details: ({ approved, buildId }) => ({ approved, build: buildId }),
      },
    },
    async (core, decision, context) => {
      const { state, key } = await decideReview(core, await visitor(core, context), decision)
      return { state: gameStates[state], key }
    },
  ),
  revealSecret: method({ right: 'developer', audit: ofGame('credential.reveal') }, byDeveloper(revealSecret)),
  rotateSecret: method({ right: 'developer', audit: ofGame('credential.rotate') }, byDeveloper(rotateSecret)),
  listPublishedGames: method({ right: 'public', audit: reads }, async ({ store }, wanted) => ({
    games: (await listPublishedGames(store, wanted)).map(summaryOf),
  })),
  getPublishedGame: method({ right: 'public', audit: reads }, async ({ store }, asked) => {
    const game = await getPublishedGame(store, asked)
    return {
      ...game,
      game: summaryOf(game),
      consentVersion: consentVersion(game.consent),
      consentVersions: game.consents.map(({ text }) => consentVersion(text)),
      ...filesOf(game.files),
      player: playerMessage(game.player),
      build: buildOf(game.build),
      studio: { ...game.studioProfile, name: game.studioName, slug: game.studioSlug },
    }
  }),
  reportGame: method(
    { right: 'public', audit: new NotAudited('The report itself is kept, without who sent it.') },
    reportGame,
  ),
})

/** Its credential is beside the summary. */
const gameOf = ({ summary, ...game }: SeenGame) => ({
  ...game,
  texts: textsOf(game.texts),
  summary: summaryOf({ ...game, summary, credential: undefined }),
  player: playerMessage(game.player),
  ...filesOf(game.files),
  accepted: game.accepted && { ...game.accepted, texts: textsOf(game.accepted.texts), ...filesOf(game.accepted.files) },
  ...buildsOf(game.builds),
})

/** Builds by their place. A replaced desktop build can be in grace and kept. */
export function buildsOf(builds: readonly BuildView[]) {
  const find = (role: BuildView['role']) => builds.filter((build) => build.role === role)
  const one = (role: BuildView['role']) => find(role).map(buildOf)[0]
  const replaced = find('replaced')
  return {
    live: one('live'),
    staged: one('staged'),
    beta: one('beta'),
    inGrace: replaced.filter(({ graceUntil }) => graceUntil > 0).map(buildOf),
    kept: replaced.filter(({ keptUntil }) => keptUntil > 0).map(buildOf),
  }
}

export const summaryOf = ({ state, kind, ...game }: ListedGame) => ({
  ...game,
  state: state ? gameStates[state] : GameState.UNSPECIFIED,
  kind: kind ? buildKinds[kind] : BuildKind.UNSPECIFIED,
})

export const buildOf = ({ kind, ...build }: BuildView) => ({
  ...build,
  kind: buildKinds[kind],
  storageKey: kind === 'desktop' ? buildFolder(kind, build.buildId) + build.fileName : '',
})

const textsOf = (texts: GameView['texts']) => Object.entries(texts).map(([language, text]) => ({ language, ...text }))

const filesOf = (files: readonly FileView[]) => ({
  gallery: files.filter(({ kind }) => kind === 'gallery'),
  teachingNotes: files.filter(({ kind }) => kind === 'teaching-note'),
})

const profileMessage = ({ studioId, slug, draft, accepted, ...of }: WaitingProfile) => ({
  ...of,
  studio: { studioId, slug, ...draft },
  accepted: { studioId, slug, ...accepted },
})
