import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import type { GetResultResponse } from '../../../gen/lrs/v1/launches_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { ifFound } from '../parts/launch.ts'
import { resultInWords } from '../../pages/games/play/end.ts'
import type { Visit } from '../../web/visit.ts'

/** Seconds after a reload in which a statement `terminated` may still be of the game before the reload. */
const reloadSeconds = 5

/** What the store has of a session of this game; undefined: there is no such session, or it ended long ago. */
export async function resultOf(
  { core }: Visit,
  { game }: GetPublishedGameResponse,
  sessionSecret: string,
): Promise<GetResultResponse | undefined> {
  if (sessionSecret === '') return undefined
  const result = await ifFound(core.launches.getResult({ sessionSecret }))
  return result?.gameId === game!.gameId ? result : undefined
}

/**
 * Tells the page around the game whether the game has ended. Open pages ask often, so the game is not looked up. `age`:
 * milliseconds since the game was loaded there.
 */
export async function tellResult(visit: Visit, sessionSecret: string): Promise<void> {
  if (sessionSecret === '') throw new PageFailure(Reason.NOT_FOUND, 'The session has ended.')
  const result = await visit.core.launches.getResult({ sessionSecret, brief: true })
  const age = visit.form('age')
  const late = result.ended === 'terminated' ? reloadSeconds : 0
  const isOfNow = age === '' || result.endedAgo + late < Number(age) / 1000
  visit.response.json({
    ended: isOfNow ? result.ended : '',
    text: resultInWords(visit.say, result) || visit.say.text('end.title'),
  })
}
