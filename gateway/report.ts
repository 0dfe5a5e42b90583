import type { Exchange, GatewayContext } from './context.ts'
import type { Answer } from './http/answer.ts'
import { overloaded } from './load/admission.ts'
import type { Resource } from './resource.ts'

const slowMs = 1000

/** Counts and logs an answer that was sent. Refusals of the admission are too many for a log line each. */
export function reportAnswer(
  { requestId, effective: { method } }: Exchange,
  { path, open }: Resource,
  answer: Answer,
  status: number,
  ms: number,
  { log, meters }: GatewayContext,
): void {
  meters.answered(path, method, status, ms)
  if (open || answer.body === overloaded.body) return
  if (status >= 500) log.warn({ status, ms: Math.round(ms), requestId, method, path }, 'failed')
  else if (ms > slowMs) log.info({ status, ms: Math.round(ms), requestId, method, path }, 'slow')
  else if (log.isLevelEnabled('debug')) log.debug({ status, ms: Math.round(ms), requestId, method, path }, 'answered')
}
