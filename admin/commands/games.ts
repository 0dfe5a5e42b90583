import { toJson } from '@bufbuild/protobuf'
import { DecideReviewResponseSchema, GetGameResponseSchema, ListGamesResponseSchema, WithdrawResponseSchema, type Build, type Game } from '../../gen/lrs/v1/games_pb.js'
import type { CoreClient } from '../core-client.ts'
import { kindName, list, stateName, table, time, type Shown } from '../show.ts'

const whole = { alwaysEmitImplicit: true }

export async function listGames({ games }: CoreClient): Promise<Shown> {
  const found = await games.listGames({})
  const rows = found.games.map(({ gameId, slug, name, studioName, state, kind, updated }) => [gameId, slug, name, studioName, stateName(state), kindName(kind), time(updated)])
  return { json: toJson(ListGamesResponseSchema, found, whole), text: table(['id', 'slug', 'name', 'studio', 'state', 'kind', 'changed (UTC)'], rows, 'There are no games yet.') }
}

export async function showGame(core: CoreClient, named: string): Promise<Shown> {
  const found = await core.games.getGame({ gameId: await idOf(core, named) })
  return { json: toJson(GetGameResponseSchema, found, whole), text: textOf(found.game!) }
}

export async function decide(core: CoreClient, named: string, approved: boolean, { build, note = '' }: { build: string; note?: string }): Promise<Shown> {
  const gameId = await idOf(core, named)
  const decided = await core.games.decideReview({ gameId, buildId: build, approved, note })
  const text = approved ? `Approved: the game is ${stateName(decided.state)}, its key is ${decided.key}.` : `Rejected: the game is ${stateName(decided.state)}.`
  return { json: toJson(DecideReviewResponseSchema, decided, whole), text }
}

export async function withdrawGame(core: CoreClient, named: string): Promise<Shown> {
  const gameId = await idOf(core, named)
  const { game } = await core.games.getGame({ gameId })
  const withdrawn = await core.games.withdraw({ gameId, state: game!.summary!.state })
  return { json: toJson(WithdrawResponseSchema, withdrawn, whole), text: `The game is ${stateName(withdrawn.state)}.` }
}

/** A game is named by its id, or by its name in addresses. */
async function idOf({ games }: CoreClient, named: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named)) return named
  const found = (await games.listGames({})).games.find(({ slug }) => slug === named)
  if (found) return found.gameId
  throw new Error(`There is no game ${JSON.stringify(named)}: "games list" shows ids and slugs.`)
}

function textOf({ summary, description, live, staged, inGrace, reviews, credential, gallery, teachingNotes }: Game): string {
  const { name, slug, gameId, state, studioName, studioSlug, updated } = summary!
  const builds = [['live build', live], ['staged build', staged], ...inGrace.map((build) => ['replaced build', build] as const)] as const
  return list([
    ['name', name], ['id', gameId], ['slug', slug], ['studio', `${studioName} (${studioSlug})`], ['state', stateName(state)], ['changed', time(updated)],
    ['summary', summary!.summary], ['description', description], ['files', `${gallery.length} images, ${teachingNotes.length} teaching notes`],
    ...builds.map(([what, build]) => [what, build ? buildText(build) : ''] as const),
    ['key', credential ? `${credential.key} (secret ${credential.revealed ? 'shown' : 'not shown yet'})` : ''],
    ...reviews.map(({ submitted, decided, approved, withdrawn, message, note }) => {
      const outcome = withdrawn ? 'taken back' : decided === 0n ? 'waiting' : approved ? 'approved' : 'rejected'
      return [`review`, [`${time(submitted)} ${outcome}`, message && `studio: ${message}`, note && `reviewer: ${note}`].filter((line) => line !== '').join('\n')] as const
    }),
  ])
}

const buildText = ({ buildId, kind, fileName, size, files, graceUntil }: Build): string =>
  `${buildId} (${kindName(kind)}, ${fileName}, ${size} bytes, ${files} files${graceUntil > 0n ? `, until ${time(graceUntil)}` : ''})`
