import { toJson } from '@bufbuild/protobuf'
import { DecideReviewResponseSchema } from '../../gen/lrs/v1/games_pb.js'
import { Failed } from '../failed.ts'
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
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(build))
    throw new Failed(`${JSON.stringify(build)} is not the id of a build: "reviews list" shows the ids.`, 2)
  if (!/^\d{1,9}$/.test(page)) {
    throw new Failed(`--page is ${JSON.stringify(page)}, but must be the number that "reviews list" shows.`, 2)
  }
  const { gameId } = await studioGameOf(core, game)
  const decided = await core.games.decideReview({ gameId, buildId: build, page: Number(page), approved, note })
  const text = approved
    ? `Approved: the game is ${stateName(decided.state)}, its key is ${decided.key}.`
    : `Rejected: the game is ${stateName(decided.state)}.`
  return { json: toJson(DecideReviewResponseSchema, decided, { alwaysEmitImplicit: true }), text }
}
