import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  StatementService,
  type StoreStatementsRequest,
  type StoreStatementsResponseSchema,
} from '../../../gen/lrs/v1/statements_pb.js'
import { allowances, sizes } from '../../../shared/limits.ts'
import type { XapiAction } from '../../../shared/rest.ts'
import type { Caller } from '../access/caller.ts'
import { storeStatements, type Submission } from '../command/store-statements.ts'
import type { Counted } from '../../process/limits/rate-limiter.ts'
import type { Operation, ShownOutcome } from '../calls/operation.ts'
import { jsonOf } from '../worker/typed.ts'

/** The fields that StoreStatements and a request of its stream share. */
type Sent = Pick<StoreStatementsRequest, 'json' | 'statements' | 'statementId'> & { readonly tooMany?: boolean }

export const store: Operation<Sent, MessageInitShape<typeof StoreStatementsResponseSchema>> = {
  method: StatementService.method.storeStatements,
  action: actionOf,
  scopes: () => ['statements/write'],
  counts: ({ statementId }, caller) => bucketOf(statementId, caller),
  bypassesFairQueue: true,
  run: async (core, caller, request) => ({ ids: await storeStatements(core, caller, submissionOf(request)) }),
  shown: { sent: (request) => submissionOf(request).json, outcome: (_, { ids = [] }) => stored(ids) },
}

/** @param statementId empty or missing: POST */
export function actionOf({ statementId }: { statementId?: string }): XapiAction {
  return statementId ? 'put statements' : 'store statements'
}

/** The outcome of an accepted submission, for the studio. */
export const stored = (ids: readonly string[]): ShownOutcome => ({
  message: `stored ${ids.length} statement${ids.length === 1 ? '' : 's'}`,
  stored: ids,
})

/**
 * PUT and POST of statements have separate buckets. Key and secret have one; launch tokens have another, which counts
 * requests beyond their allowances.
 * @param statementId empty or missing: POST
 */
export function bucketOf(statementId: string | undefined, { key, learner }: Caller): Counted {
  const bucket = statementId ? 'put-statements' : 'post-statements'
  if (!learner) return { bucket, owner: key }
  const allowance = [
    { owner: `${key} ${learner.agent}`, limit: allowances.learner.limit },
    ...(learner.network === undefined ? [] : [{ owner: `${key} ${learner.network}`, limit: allowances.network.limit }]),
    { owner: `${key} all`, limit: allowances.game.limit },
  ]
  return { bucket, owner: `${key} launched`, allowance }
}

/** The statements of a request, without attachments. */
export function submissionOf({ json, statements, statementId, tooMany = false }: Sent): Submission {
  const isTyped = statements.length > 0 && json.byteLength === 0
  // their JSON would be made for nothing, and that may take long
  if (isTyped && statements.length > sizes.statementsPerRequest)
    return { json, statementId: statementId || undefined, tooMany: true }
  return { json: isTyped ? jsonOf(statements) : json, statementId: statementId || undefined, tooMany }
}
