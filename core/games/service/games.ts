import type { HandlerContext } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  BuildKind,
  GameState,
  Orientation,
  type BuildSchema,
  type GameCredentialSchema,
  type GameFileSchema,
  type GamePageSchema,
  type GameReviewSchema,
  type GameSchema,
  GameService,
  type GameSummarySchema,
} from '../../../gen/lrs/v1/games_pb.js'
import type { OpenProfileSchema } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Keeper, Visitor } from '../../accounts/access/visitor.ts'
import {
  createGame,
  deleteGame,
  describeFile,
  discardChanges,
  moveFile,
  removeFile,
  setPlayer,
  updateGame,
} from '../command/edit-games.ts'
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
import type { CredentialView } from '../../records/store/cell/credential-views.ts'
import type { BuildView, FileView, PageView, ReviewView } from '../store/read-games.ts'
import { activityId } from '../../records/rules/activity-id.ts'
import { consentVersion } from '../../analytics/rules/consent.ts'
import { states, type State } from '../rules/lifecycle.ts'
import { buildFolder } from '../rules/storage-keys.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { playerMessage, playerSettings } from './player-settings.ts'
import { reads, game, ofGame, ofFile } from '../../process/methods/audit-entries.ts'
import { developer, isAdmin, person } from '../../process/methods/developer.ts'

export const gameStates: Record<State, GameState> = {
  draft: GameState.DRAFT,
  'in-review': GameState.IN_REVIEW,
  rejected: GameState.REJECTED,
  published: GameState.PUBLISHED,
  'update-staged': GameState.UPDATE_STAGED,
  'update-in-review': GameState.UPDATE_IN_REVIEW,
  'update-rejected': GameState.UPDATE_REJECTED,
  withdrawn: GameState.WITHDRAWN,
}
const buildKinds = { browser: BuildKind.BROWSER, desktop: BuildKind.DESKTOP } as const

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
  updateGame: method(
    { right: 'developer', token: 'games', audit: ofGame('game.update') },
    async (core, { gameId, name, summary, description, consent }, context) =>
      updateGame(core.store, await developer(core, context), gameId, { name, summary, description, consent }),
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
        }),
      },
    },
    async (core, { gameId, player }, context) =>
      setPlayer(core.store, await developer(core, context), gameId, playerSettings(player)),
  ),
  deleteGame: method({ right: 'developer', audit: ofGame('game.delete') }, async (core, { gameId }, context) =>
    deleteGame(core.store, await developer(core, context), gameId),
  ),
  describeFile: method(
    { right: 'developer', token: 'games', audit: ofFile('game.describe-file') },
    async (core, { gameId, fileId, text }, context) =>
      describeFile(core.store, await developer(core, context), gameId, fileId, text),
  ),
  moveFile: method(
    { right: 'developer', token: 'games', audit: ofFile('game.move-file') },
    async (core, { gameId, fileId, later }, context) =>
      moveFile(core.store, await developer(core, context), gameId, fileId, later),
  ),
  removeFile: method(
    { right: 'developer', token: 'games', audit: ofFile('game.remove-file') },
    async (core, { gameId, fileId }, context) => removeFile(core.store, await developer(core, context), gameId, fileId),
  ),
  discardChanges: method(
    { right: 'developer', token: 'games', audit: ofGame('game.discard-changes') },
    async (core, { gameId }, context) => discardChanges(core.store, await developer(core, context), gameId),
  ),
  locateFile: method({ right: 'public', audit: reads }, (core, { fileId }, { requestHeader }) =>
    locateFile(core, requestHeader.get('x-lrs-session') ?? '', fileId),
  ),
  submitForReview: method(
    { right: 'developer', token: ['upload', 'games'], audit: ofGame('game.submit') },
    async (core, { gameId, message }, context) =>
      submitForReview(core.store, await developer(core, context), gameId, message),
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
      reviews: reviews.map(({ game, page, build, review }) => ({
        page,
        game: summaryOf(game),
        build: buildOf(build),
        review: reviewOf(review),
      })),
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
  revealSecret: method({ right: 'developer', audit: ofGame('credential.reveal') }, async (core, { gameId }, context) =>
    revealSecret(core.store, await developer(core, context), gameId),
  ),
  rotateSecret: method({ right: 'developer', audit: ofGame('credential.rotate') }, async (core, { gameId }, context) =>
    rotateSecret(core.store, await developer(core, context), gameId),
  ),
  listPublishedGames: method({ right: 'public', audit: reads }, async ({ store }, { studioSlug }) => ({
    games: (await listPublishedGames(store, studioSlug)).map(summaryOf),
  })),
  getPublishedGame: method({ right: 'public', audit: reads }, async ({ store }, { slug }) => {
    const { description, consent, player, files, build, studioProfile, ...game } = await getPublishedGame(store, slug)
    const studio = { ...studioProfile, name: game.studioName, slug: game.studioSlug, logo: studioProfile.logo ?? '' }
    const agreed = { consent, consentVersion: consentVersion(consent) }
    return {
      game: summaryOf(game),
      description,
      ...agreed,
      ...filesOf(files),
      player: playerMessage(player),
      build: buildOf(build),
      studio,
    }
  }),
})

function gameOf({
  description,
  consent,
  player,
  files,
  page,
  changed,
  accepted,
  builds,
  reviews,
  credential,
  sandboxKey,
  reported,
  played,
  allowed,
  betaLinked,
  ...game
}: SeenGame): MessageInitShape<typeof GameSchema> {
  return {
    summary: summaryOf(game),
    description,
    consent,
    player: playerMessage(player),
    ...filesOf(files),
    page,
    changed,
    accepted: accepted ? pageOf(accepted) : undefined,
    ...buildsOf(builds),
    reviews: reviews.map(reviewOf),
    sandboxKey: sandboxKey ?? '',
    reported,
    played,
    allowed: [...allowed],
    betaLinked: BigInt(betaLinked),
    credential: credential ? credentialOf(credential) : undefined,
  }
}

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

const pageOf = ({ files, ...texts }: PageView): MessageInitShape<typeof GamePageSchema> => ({
  ...texts,
  ...filesOf(files),
})

const credentialOf = ({
  created,
  rotated,
  revoked,
  ...credential
}: CredentialView): MessageInitShape<typeof GameCredentialSchema> => ({
  ...credential,
  created: BigInt(created),
  rotated: BigInt(rotated),
  revoked: BigInt(revoked),
})

export const summaryOf = ({
  state,
  cover,
  coverText,
  kind,
  updated,
  credential,
  ...game
}: ListedGame): MessageInitShape<typeof GameSummarySchema> => ({
  ...game,
  state: state ? gameStates[state] : GameState.UNSPECIFIED,
  cover: cover ?? '',
  coverText: coverText ?? '',
  kind: kind ? buildKinds[kind] : BuildKind.UNSPECIFIED,
  updated: BigInt(updated),
  credential: credential ? credentialOf(credential) : undefined,
})

export const buildOf = ({
  kind,
  size,
  expanded,
  created,
  graceUntil,
  keptUntil,
  role: _,
  ...build
}: BuildView): MessageInitShape<typeof BuildSchema> => ({
  ...build,
  kind: buildKinds[kind],
  size: BigInt(size),
  expanded: BigInt(expanded),
  created: BigInt(created),
  graceUntil: BigInt(graceUntil),
  keptUntil: BigInt(keptUntil),
  storageKey: kind === 'desktop' ? buildFolder(kind, build.buildId) + build.fileName : '',
})

function filesOf(files: readonly FileView[]): {
  gallery: MessageInitShape<typeof GameFileSchema>[]
  teachingNotes: MessageInitShape<typeof GameFileSchema>[]
} {
  const find = (of: FileView['kind']) =>
    files.filter((file) => file.kind === of).map(({ kind: _, size, ...file }) => ({ ...file, size: BigInt(size) }))
  return { gallery: find('gallery'), teachingNotes: find('teaching-note') }
}

const profileMessage = ({
  studioId,
  slug,
  draft,
  accepted,
  profile,
  changed,
}: WaitingProfile): MessageInitShape<typeof OpenProfileSchema> => ({
  studio: { studioId, slug, ...draft },
  accepted: { studioId, slug, ...accepted },
  profile,
  changed: BigInt(changed),
})

const reviewOf = ({ submitted, decided, ...review }: ReviewView): MessageInitShape<typeof GameReviewSchema> => ({
  ...review,
  submitted: BigInt(submitted),
  decided: BigInt(decided),
})
