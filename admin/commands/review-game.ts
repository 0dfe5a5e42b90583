import { GameState, type Build } from '../../gen/lrs/v1/games_pb.js'
import { command, type Values } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { studioGameOf } from '../name-game.ts'
import { wordOf } from '../show.ts'

const byGame = { '<game>': 'id or slug (the name in URLs)' }
const reviewed = {
  '--build <id>': {
    about: 'id of the build that you reviewed, as "reviews list" shows it; its first 8 characters are enough',
    required: true,
  },
  '--page <number>':
    'number of the page that you reviewed, as "reviews list" shows it; needed if the page changed after it was submitted',
} as const

export const approve = command({
  about: 'publish the build, texts and files that you reviewed',
  takes: byGame,
  options: { ...reviewed, '--note <text>': 'for the studio' },
  examples: ['games approve chess --build 4f6c1c1e --note "Plays well"'],
  async run(core, given) {
    const decided = await decide(core, given, true)
    const text = `Approved: the game is ${wordOf(GameState, decided.state)}, its key is ${decided.key}.`
    return { json: decided, text }
  },
})
export const reject = command({
  about: 'reject the build',
  takes: byGame,
  options: { ...reviewed, '--note <text>': { about: 'what the studio must change', required: true } },
  examples: ['games reject chess --build 4f6c1c1e --note "There is no sound on level 2"'],
  async run(core, given) {
    const decided = await decide(core, given, false)
    return { json: decided, text: `Rejected: the game is ${wordOf(GameState, decided.state)}.` }
  },
})

type Given = Values<typeof byGame> & Values<typeof reviewed> & { readonly note?: string }

async function decide(core: CoreClient, { game, build, page = '0', note = '' }: Given, approved: boolean) {
  if (!/^[0-9a-f]{8}[0-9a-f-]{0,28}…?$/i.test(build))
    throw new Failed(
      `${JSON.stringify(build)} is not the id of a build: "reviews list" shows the ids. 8 characters are enough.`,
      2,
    )
  if (!/^\d{1,9}$/.test(page))
    throw new Failed(`--page is ${JSON.stringify(page)}, but must be the number that "reviews list" shows.`, 2)
  const { summary, staged, live } = await studioGameOf(core, game)
  const { gameId } = summary!
  const buildId = wholeId(build, [staged, live])
  return core.games.decideReview({ gameId, buildId, page: Number(page), approved, note })
}

/** The id of the game's build that begins so. @throws Failed */
function wholeId(beginning: string, builds: readonly (Build | undefined)[]): string {
  const wanted = beginning.replace('…', '').toLowerCase()
  const found = builds.find((build) => build?.buildId.startsWith(wanted))
  if (found) return found.buildId
  if (wanted.length === 36) return wanted
  throw new Failed(`No build of this game begins with ${wanted}: "reviews list" shows the ids.`)
}
