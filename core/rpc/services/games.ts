import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  BuildKind,
  GameState,
  type BuildSchema,
  type GameCredentialSchema,
  type GameFileSchema,
  type GamePageSchema,
  type GameReviewSchema,
  type GameSchema,
  type GameService,
  type GameSummarySchema,
} from '../../../gen/lrs/v1/games_pb.js'
import type { OpenProfileSchema } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Keeper, Visitor } from '../../access/visitor.ts'
import {
  createGame,
  deleteGame,
  describeFile,
  discardChanges,
  moveFile,
  removeFile,
  setPlayer,
  updateGame,
} from '../../command/games/edit-games.ts'
import { revealSecret, rotateSecret } from '../../command/secrets/game-secrets.ts'
import { decideReview, submitForReview, withdraw } from '../../command/games/review-games.ts'
import type { Core } from '../../context.ts'
import { warnOfQuotas } from '../../notices/warn-of-quotas.ts'
import {
  getGame,
  getPublishedGame,
  listGames,
  listPublishedGames,
  listReviews,
  locateFile,
  type SeenGame,
  type ListedGame,
} from '../../query/games.ts'
import type { WaitingProfile } from '../../store/directory/studio-profiles.ts'
import type { CredentialView } from '../../store/cell/credential-views.ts'
import type { BuildView, FileView, PageView, ReviewView } from '../../store/directory/read-games.ts'
import { activityId } from '../../studio/activity-id.ts'
import { consentVersion } from '../../studio/consent.ts'
import { states, type State } from '../../studio/lifecycle.ts'
import { buildFolder } from '../../studio/storage-keys.ts'
import { developer, isAdmin, person } from './developer.ts'
import { playerMessage, playerSettings } from './player-settings.ts'

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

/** Games of studios, for the portal and for admins. */
export function gameService(core: Core): ServiceImpl<typeof GameService> {
  const { store, config } = core
  const visitor = async (context: HandlerContext): Promise<Visitor> =>
    isAdmin(core, context) ? 'admin' : person(core, context)
  const keeper = async (context: HandlerContext): Promise<Keeper> =>
    isAdmin(core, context) ? 'admin' : developer(core, context)
  return {
    async createGame({ name }, context) {
      const who = await developer(core, context)
      const gameId = await createGame(store, who, name)
      await warnOfQuotas(core, who)
      return { gameId }
    },
    listGames: async ({ slug }, context) => ({
      games: (await listGames(store, await keeper(context), slug)).map(summaryOf),
    }),
    getGame: async ({ gameId }, context) => ({
      game: {
        ...gameOf(await getGame(store, await visitor(context), gameId)),
        activityId: activityId(config.authorityHome, gameId),
      },
    }),
    async updateGame({ gameId, name, summary, description, consent }, context) {
      await updateGame(store, await developer(core, context), gameId, { name, summary, description, consent })
      return {}
    },
    async setPlayer({ gameId, player }, context) {
      await setPlayer(store, await developer(core, context), gameId, playerSettings(player))
      return {}
    },
    async deleteGame({ gameId }, context) {
      await deleteGame(store, await developer(core, context), gameId)
      return {}
    },
    async describeFile({ gameId, fileId, text }, context) {
      await describeFile(store, await developer(core, context), gameId, fileId, text)
      return {}
    },
    async moveFile({ gameId, fileId, later }, context) {
      await moveFile(store, await developer(core, context), gameId, fileId, later)
      return {}
    },
    async removeFile({ gameId, fileId }, context) {
      await removeFile(store, await developer(core, context), gameId, fileId)
      return {}
    },
    async discardChanges({ gameId }, context) {
      await discardChanges(store, await developer(core, context), gameId)
      return {}
    },
    locateFile: ({ fileId }, { requestHeader }) => locateFile(core, requestHeader.get('x-lrs-session') ?? '', fileId),
    async submitForReview({ gameId, message }, context) {
      await submitForReview(store, await developer(core, context), gameId, message)
      return {}
    },
    async withdraw({ gameId, state }, context) {
      const seen = states.find((name) => gameStates[name] === state)
      return { state: gameStates[await withdraw(store, await keeper(context), gameId, seen)] }
    },
    async listReviews(_request, context) {
      const { reviews, profiles } = await listReviews(store, await visitor(context))
      return {
        profiles: profiles.map(profileMessage),
        reviews: reviews.map(({ game, page, build, review }) => ({
          page,
          game: summaryOf(game),
          build: buildOf(build),
          review: reviewOf(review),
        })),
      }
    },
    async decideReview(decision, context) {
      const { state, key } = await decideReview(core, await visitor(context), decision)
      return { state: gameStates[state], key }
    },
    revealSecret: async ({ gameId }, context) => revealSecret(store, await developer(core, context), gameId),
    rotateSecret: async ({ gameId }, context) => rotateSecret(store, await developer(core, context), gameId),
    listPublishedGames: async ({ studioSlug }) => ({
      games: (await listPublishedGames(store, studioSlug)).map(summaryOf),
    }),
    async getPublishedGame({ slug }) {
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
    },
  }
}

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
