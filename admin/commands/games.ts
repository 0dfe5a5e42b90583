import { BuildKind, GameState, type Build, type Game, type GameCredential } from '../../gen/lrs/v1/games_pb.js'
import { command } from '../command.ts'
import { isPersonal } from '../config.ts'
import { Failed } from '../failed.ts'
import { gameIdOf, studioGameOf } from '../name-game.ts'
import { amount, list, table, time, wordOf } from '../show.ts'
import { builds } from './builds.ts'
import { betaLink, promote, rollBack } from './channels.ts'
import { player } from './game-player.ts'
import { gameQuota } from './quotas.ts'
import { counting } from './counting.ts'
import { retention } from './retention.ts'
import { approve, reject } from './review-game.ts'
import { submit, upload } from './upload-build.ts'

const byGame = { '<game>': 'id or slug (the name in URLs)' }
/** Core lists no more. */
const most = 1_000

export const commands = {
  list: command({
    about: 'list every game with its credential, the last changed first',
    examples: ['games list', 'games list --json | jq \'.games[] | select(.state == "GAME_STATE_PUBLISHED").slug\''],
    async run({ games }, _given, session) {
      const found = await games.listGames({})
      if (found.games.length === most)
        session.note(
          `These are the first ${amount(most, 'game')}. There may be more: "games show" finds each by its id or slug.`,
        )
      const text = table(found.games, 'There are no games yet.', {
        id: ({ gameId }) => gameId,
        slug: ({ slug }) => slug,
        name: ({ name }) => name,
        studio: ({ studioName }) => studioName,
        state: ({ state }) => wordOf(GameState, state),
        kind: ({ kind }) => wordOf(BuildKind, kind),
        key: ({ credential }) => credential?.key ?? '',
        credential: ({ credential }) => (credential ? credentialState(credential) : 'none'),
        'changed (UTC)': ({ updated }) => time(updated),
      })
      return { json: found, text }
    },
  }),
  builds: builds('games builds'),
  show: command({
    about: 'show a game with its builds and reviews',
    takes: byGame,
    examples: ['games show chess'],
    async run(core, { game }) {
      const found = await core.games.getGame({ gameId: await gameIdOf(core, game) })
      return { json: found, text: textOf(found.game!) }
    },
  }),
  create: command({
    about:
      'add a game: to your studio with a personal token, else without a studio ("credentials issue" gives it access)',
    takes: { '<name>': 'name that people see' },
    examples: ['games create "Chess club"'],
    async run(core, given, session) {
      const name = given.name.trim()
      if (name === '') throw new Failed('A game needs a name.', 2)
      const isOwn = isPersonal(session.config())
      const { gameId } = await (isOwn ? core.games : core.identity).createGame({ name })
      const next = isOwn
        ? `"games upload ${gameId} <file>" gives it a build.`
        : `"credentials issue ${gameId}" creates its key and secret.`
      return { json: { gameId, name }, text: `${list({ name, id: gameId })}\n${next}` }
    },
  }),
  approve,
  reject,
  upload,
  submit,
  promote,
  rollback: rollBack,
  'beta-link': betaLink,
  player,
  withdraw: command({
    about: 'withdraw a game from the public, or from review',
    takes: byGame,
    examples: ['games withdraw chess'],
    async run(core, { game }) {
      const { gameId, state } = (await studioGameOf(core, game)).summary!
      const withdrawn = await core.games.withdraw({ gameId, state })
      return { json: withdrawn, text: `The game is ${wordOf(GameState, withdrawn.state)}.` }
    },
  }),
  quota: gameQuota,
  counting,
  retention,
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
    ['state', wordOf(GameState, state)],
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

function buildText(build: Build): string {
  const { buildId, number, version, notes, kind, fileName, size, files, graceUntil, keptUntil } = build
  const facts = [
    `build ${number}`,
    version,
    wordOf(BuildKind, kind),
    fileName,
    amount(size, 'byte'),
    amount(files, 'file'),
    keptUntil > 0n ? `kept until ${time(keptUntil)}` : '',
    graceUntil > 0n ? `download until ${time(graceUntil)}` : '',
  ]
  return `${buildId} (${facts.filter((fact) => fact !== '').join(', ')})${notes && `\n${notes}`}`
}
