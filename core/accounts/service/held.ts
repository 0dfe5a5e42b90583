import { randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { EraseLearnerResponseSchema, ExportLearnerResponseSchema } from '../../../gen/lrs/v1/admin_pb.js'
import type { Learner } from '../../records/access/learner.ts'
import { eraseLearner, type Erased } from '../command/erase-learner.ts'
import type { Core } from '../../context.ts'
import type { Consent } from '../store/own-data.ts'
import { heldOn } from '../query/export-learner.ts'

/** The messages of an export. */
export async function* exported(
  { store, config }: Pick<Core, 'store' | 'config'>,
  learner: Learner,
): AsyncGenerator<MessageInitShape<typeof ExportLearnerResponseSchema>> {
  let [statements, documents] = [0n, 0n]
  for await (const held of heldOn(store, learner, config.tenancy)) {
    if (held.kind === 'learner') {
      const account = held.account && { ...held.account, created: BigInt(held.account.created) }
      yield {
        part: {
          case: 'learner',
          value: { person: Buffer.from(held.person), account, consents: held.consents.map(consentOf) },
        },
      }
    } else if (held.kind === 'statement') {
      statements++
      const { gameId, json, stored, voided, own, sandbox } = held.statement
      yield {
        part: {
          case: 'statement',
          value: { gameId, json: Buffer.from(json), stored: BigInt(stored), voided, own, sandbox },
        },
      }
    } else {
      documents++
      yield { part: { case: 'document', value: { ...held.document, updated: BigInt(held.document.updated) } } }
    }
  }
  yield { part: { case: 'end', value: { statements, documents } } }
}

export const consentOf = ({ version, agreed }: Consent) => ({ version, agreed: BigInt(agreed) })

/** Erases a learner, or only counts, and returns the receipt. */
export async function erased(
  { store, config, log }: Pick<Core, 'store' | 'config' | 'log'>,
  learner: Learner,
  preview: boolean,
): Promise<MessageInitShape<typeof EraseLearnerResponseSchema>> {
  const counted = await eraseLearner(store, learner, config.authorityHome, preview)
  const receiptId = preview ? '' : randomUUID()
  if (!preview) log.info({ receiptId, ...counted }, 'a learner was erased')
  return receiptOf(counted, receiptId)
}

/** @param receiptId empty: nothing was erased */
export const receiptOf = (counted: Erased, receiptId: string): MessageInitShape<typeof EraseLearnerResponseSchema> => ({
  ...Object.fromEntries(Object.entries(counted).map(([name, count]) => [name, BigInt(count)])),
  receiptId,
  erased: receiptId === '' ? 0n : BigInt(Date.now()) * 1000n,
})
