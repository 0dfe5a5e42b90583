import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Core } from '../../context.ts'
import type { Call, Outcome } from '../../process/methods/call.ts'
import { showEnded } from './show.ts'

/** All that follows from the end of a call. They never wait and never fail. */
const listeners = [measure, showEnded]

/** Notes that a call has ended. Each call ends once; a stream ends with its first message. */
export function ended(core: Core, call: Call, outcome: Outcome): void {
  for (const listener of listeners) listener(core, call, outcome)
}

function measure({ meters }: Core, { method, way, began }: Call, { error, failure }: Outcome): void {
  meters.callSeconds.observe({ operation: method, way }, (performance.now() - began) / 1000)
  const reason = failure && (Reason[failure.reason] ?? 'UNSPECIFIED').toLowerCase()
  const outcome = error === undefined ? 'ok' : (reason ?? 'cancelled')
  meters.calls.inc({ operation: method, way, outcome })
}
