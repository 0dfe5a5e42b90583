import { DecideReviewResponseSchema, type Build } from '../../gen/lrs/v1/games_pb.js'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import { studioGameOf } from '../name-game.ts'
import type { Session, Work } from '../session.ts'
import { stateName, type Shown } from '../show.ts'

interface Options {
  readonly build: string
  readonly page?: string
  readonly note?: string
}

export const approve: Work<Options> = (session, [game], options) => decide(session, game!, true, options)
export const reject: Work<Options> = (session, [game], options) => decide(session, game!, false, options)

async function decide(
  session: Session,
  game: string,
  approved: boolean,
  { build, page = '0', note = '' }: Options,
): Promise<Shown> {
  const core = await session.connect()
  if (!/^[0-9a-f]{8}[0-9a-f-]{0,28}…?$/i.test(build)) {
    throw new Failed(
      `${JSON.stringify(build)} is not the id of a build: "reviews list" shows the ids. 8 characters are enough.`,
      2,
    )
  }
  if (!/^\d{1,9}$/.test(page)) {
    throw new Failed(`--page is ${JSON.stringify(page)}, but must be the number that "reviews list" shows.`, 2)
  }
  const { summary, staged, live } = await studioGameOf(core, game)
  const { gameId } = summary!
  const buildId = wholeId(build, [staged, live])
  const decided = await core.games.decideReview({ gameId, buildId, page: Number(page), approved, note })
  const text = approved
    ? `Approved: the game is ${stateName(decided.state)}, its key is ${decided.key}.`
    : `Rejected: the game is ${stateName(decided.state)}.`
  return { json: jsonOf(DecideReviewResponseSchema, decided), text }
}

/** The id of the game's build that begins so. @throws Failed */
function wholeId(beginning: string, builds: readonly (Build | undefined)[]): string {
  const wanted = beginning.replace('…', '').toLowerCase()
  const found = builds.find((build) => build?.buildId.startsWith(wanted))
  if (found) return found.buildId
  if (wanted.length === 36) return wanted
  throw new Failed(`No build of this game begins with ${wanted}: "reviews list" shows the ids.`)
}
