import { toJson } from '@bufbuild/protobuf'
import { GetGameResponseSchema, ListGamesResponseSchema, WithdrawResponseSchema, type Build, type Game } from '../../gen/lrs/v1/games_pb.js'
import { amount } from '../amount.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { kindName, list, stateName, table, time } from '../show.ts'

const whole = { alwaysEmitImplicit: true }

export const listGames: Work<object> = async (session) => {
  const found = await (await session.connect()).games.listGames({})
  const rows = found.games.map(({ gameId, slug, name, studioName, state, kind, updated }) => [gameId, slug, name, studioName, stateName(state), kindName(kind), time(updated)])
  return { json: toJson(ListGamesResponseSchema, found, whole), text: table(['id', 'slug', 'name', 'studio', 'state', 'kind', 'changed (UTC)'], rows, 'There are no games of studios yet.') }
}

export const showGame: Work<object> = async (session, [game]) => {
  const core = await session.connect()
  const found = await core.games.getGame({ gameId: await gameIdOf(core, game!) })
  return { json: toJson(GetGameResponseSchema, found, whole), text: textOf(found.game!) }
}

export const withdrawGame: Work<object> = async (session, [named]) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  const { game } = await core.games.getGame({ gameId })
  const withdrawn = await core.games.withdraw({ gameId, state: game!.summary!.state })
  return { json: toJson(WithdrawResponseSchema, withdrawn, whole), text: `The game is ${stateName(withdrawn.state)}.` }
}

function textOf({ summary, description, live, staged, inGrace, reviews, credential, gallery, teachingNotes }: Game): string {
  const { name, slug, gameId, state, studioName, studioSlug, updated } = summary!
  const builds = [['live build', live], ['staged build', staged], ...inGrace.map((build) => ['replaced build', build] as const)] as const
  return list([
    ['name', name], ['id', gameId], ['slug', slug], ['studio', `${studioName} (${studioSlug})`], ['state', stateName(state)], ['changed', time(updated)],
    ['summary', summary!.summary], ['description', description], ['files', `${amount(gallery.length, 'image')}, ${amount(teachingNotes.length, 'teaching note')}`],
    ...builds.map(([what, build]) => [what, build ? buildText(build) : ''] as const),
    ['key', credential ? `${credential.key} (secret ${credential.revealed ? 'shown' : 'not shown yet'})` : ''],
    ...reviews.map(({ submitted, decided, approved, withdrawn, message, note }) => {
      const outcome = withdrawn ? 'taken back' : decided === 0n ? 'waiting' : approved ? 'approved' : 'rejected'
      return [`review`, [`${time(submitted)} ${outcome}`, message && `studio: ${message}`, note && `reviewer: ${note}`].filter((line) => line !== '').join('\n')] as const
    }),
  ])
}

const buildText = ({ buildId, kind, fileName, size, files, graceUntil }: Build): string =>
  `${buildId} (${kindName(kind)}, ${fileName}, ${amount(size, 'byte')}, ${amount(files, 'file')}${graceUntil > 0n ? `, until ${time(graceUntil)}` : ''})`
