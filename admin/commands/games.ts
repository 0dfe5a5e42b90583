import {
  GetGameResponseSchema,
  ListGamesResponseSchema,
  WithdrawResponseSchema,
  type Build,
  type Game,
  type GameCredential,
} from '../../gen/lrs/v1/games_pb.js'
import { amount } from '../amount.ts'
import { isPersonal } from '../config.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf, studioGameOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { kindName, list, stateName, table, time } from '../show.ts'

/** Core lists no more. */
const most = 1_000

export const listGames: Work<object> = async (session) => {
  const found = await (await session.connect()).games.listGames({})
  const rows = found.games.map(({ gameId, slug, name, studioName, state, kind, updated, credential }) => [
    gameId,
    slug,
    name,
    studioName,
    stateName(state),
    kindName(kind),
    credential?.key ?? '',
    credential ? credentialState(credential) : 'none',
    time(updated),
  ])
  if (found.games.length === most)
    session.note(
      `These are the first ${amount(most, 'game')}. There may be more: "games show" finds each by its id or slug.`,
    )
  return {
    json: jsonOf(ListGamesResponseSchema, found),
    text: table(
      ['id', 'slug', 'name', 'studio', 'state', 'kind', 'key', 'credential', 'changed (UTC)'],
      rows,
      'There are no games yet.',
    ),
  }
}

export const showGame: Work<object> = async (session, [game]) => {
  const core = await session.connect()
  const found = await core.games.getGame({ gameId: await gameIdOf(core, game!) })
  return { json: jsonOf(GetGameResponseSchema, found), text: textOf(found.game!) }
}

export const createGame: Work<object> = async (session, [given]) => {
  const name = given!.trim()
  if (name === '') throw new Failed('A game needs a name.', 2)
  const core = await session.connect()
  if (isPersonal(session.config())) {
    const { gameId } = await core.games.createGame({ name })
    const next = `"games upload ${gameId} <file>" gives it a build.`
    return {
      json: { gameId, name },
      text: `${list([
        ['name', name],
        ['id', gameId],
      ])}\n${next}`,
    }
  }
  const { gameId } = await core.identity.createGame({ name })
  return {
    json: { gameId, name },
    text: `${list([
      ['name', name],
      ['id', gameId],
    ])}\n"credentials issue ${gameId}" creates its key and secret.`,
  }
}

export const withdrawGame: Work<object> = async (session, [named]) => {
  const core = await session.connect()
  const { gameId, state } = (await studioGameOf(core, named!)).summary!
  const withdrawn = await core.games.withdraw({ gameId, state })
  return { json: jsonOf(WithdrawResponseSchema, withdrawn), text: `The game is ${stateName(withdrawn.state)}.` }
}

function textOf({
  summary,
  description,
  live,
  staged,
  beta,
  inGrace,
  kept,
  reviews,
  credential,
  gallery,
  teachingNotes,
  accepted,
  changed,
}: Game): string {
  const { name, slug, gameId, state, studioName, studioSlug, updated } = summary!
  const builds = [
    ['live build', live],
    ['staged build', staged],
    ['beta build', beta],
    ...kept.map((build) => ['kept build', build] as const),
    ...inGrace
      .filter(({ buildId }) => !kept.some((build) => build.buildId === buildId))
      .map((build) => ['replaced build', build] as const),
  ] as const
  return list([
    ['name', name],
    ['id', gameId],
    ['slug', slug],
    ['studio', studioSlug === '' ? 'none' : `${studioName} (${studioSlug})`],
    ['state', stateName(state)],
    ['changed', time(updated)],
    ['summary', summary!.summary],
    ['description', description],
    ['files', studioSlug === '' ? '' : filesText({ gallery, teachingNotes })],
    ...(changed
      ? ([
          ['public name', accepted!.name],
          ['public summary', accepted!.summary],
          ['public text', accepted!.description],
          ['public files', filesText(accepted!)],
        ] as const)
      : []),
    ...builds.map(([what, build]) => [what, build ? buildText(build) : ''] as const),
    ['key', credential ? `${credential.key} (${credentialState(credential)})` : ''],
    ...reviews.map(({ submitted, decided, approved, withdrawn, message, note }) => {
      const outcome = withdrawn ? 'withdrawn' : decided === 0n ? 'waiting' : approved ? 'approved' : 'rejected'
      return [
        `review`,
        [`${time(submitted)} ${outcome}`, message && `studio: ${message}`, note && `reviewer: ${note}`]
          .filter((line) => line !== '')
          .join('\n'),
      ] as const
    }),
  ])
}

/** Of the secret there is one showing: to the studio in the portal, or to the admin who issued it. */
const credentialState = ({ revealed, revoked }: GameCredential): string =>
  revoked > 0n ? 'revoked' : revealed ? 'valid' : 'secret not shown yet'

const filesText = ({ gallery, teachingNotes }: Pick<Game, 'gallery' | 'teachingNotes'>): string =>
  `${amount(gallery.length, 'image')}, ${amount(teachingNotes.length, 'teaching note')}`

/** As `build 3 (v1.2)`. */
export const buildName = ({ number, version }: Build): string => `build ${number}${version && ` (${version})`}`

function buildText(build: Build): string {
  const { buildId, number, version, notes, kind, fileName, size, files, graceUntil, keptUntil } = build
  const facts = [
    `build ${number}`,
    version,
    kindName(kind),
    fileName,
    amount(size, 'byte'),
    amount(files, 'file'),
    keptUntil > 0n ? `kept until ${time(keptUntil)}` : '',
    graceUntil > 0n ? `download until ${time(graceUntil)}` : '',
  ]
  return `${buildId} (${facts.filter((fact) => fact !== '').join(', ')})${notes && `\n${notes}`}`
}
