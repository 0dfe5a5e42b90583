import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { contextOf } from '../../../shared/launch-context.ts'
import { failureIn, PageFailure } from '../../web/failure.ts'
import type { Visit } from '../../web/visit.ts'

/** What core answers; undefined: it has nothing by this name (any more). */
export async function ifFound<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked
  } catch (error) {
    if (failureIn(error).reason === Reason.NOT_FOUND) return undefined
    throw error
  }
}

/** The launch context as a file. @throws PageFailure when there is no session */
export function sendLaunch({ response, at }: Visit, launch: Launch | undefined): void {
  if (!launch) throw new PageFailure(Reason.NOT_FOUND, 'The session has ended.')
  response.attachment('launch.json').json(contextOf(at.xapi, launch))
}
