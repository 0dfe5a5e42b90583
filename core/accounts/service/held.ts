import { randomUUID } from 'node:crypto'
import type { AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import type { Answer } from '../../process/methods/answer.ts'
import type { Learner } from '../../records/access/learner.ts'
import { eraseLearner, type Erased } from '../command/erase-learner.ts'
import type { Core } from '../../context.ts'
import { heldOn } from '../query/export-learner.ts'

type Receipt = Answer<typeof AdminService.method.eraseLearner>

/** The messages of an export. */
export async function* exported(
  { store, config }: Pick<Core, 'store' | 'config'>,
  learner: Learner,
): AsyncGenerator<Answer<typeof AdminService.method.exportLearner>> {
  let [statements, documents] = [0n, 0n]
  for await (const held of heldOn(store, learner, config.tenancy)) {
    if (held.kind === 'learner') {
      const { person, account, consents } = held
      yield { part: { case: 'learner', value: { person: Buffer.from(person), account, consents } } }
    } else if (held.kind === 'statement') {
      statements++
      yield { part: { case: 'statement', value: { ...held.statement, json: Buffer.from(held.statement.json) } } }
    } else {
      documents++
      yield { part: { case: 'document', value: held.document } }
    }
  }
  yield { part: { case: 'end', value: { statements, documents } } }
}

/** Erases a learner, or only counts, and returns the receipt. */
export async function erased(
  { store, config, log }: Pick<Core, 'store' | 'config' | 'log'>,
  learner: Learner,
  preview: boolean,
): Promise<Receipt> {
  const counted = await eraseLearner(store, learner, config.authorityHome, preview)
  const receiptId = preview ? '' : randomUUID()
  if (!preview) log.info({ receiptId, ...counted }, 'a learner was erased')
  return receiptOf(counted, receiptId)
}

/** @param receiptId empty: nothing was erased */
export const receiptOf = (counted: Erased, receiptId: string): Receipt => ({
  ...counted,
  receiptId,
  erased: receiptId === '' ? 0 : Date.now() * 1000,
})
