import { type Retention, RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { setRetention } from '../command/set-retention.ts'
import { getRetention, previewRetention } from '../query/retention.ts'
import type { Kept, RetentionRun } from '../store/retention.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, ofGame } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

/** How long data of a game is kept. */
export const retentionService = service(RetentionService, {
  getRetention: method({ right: 'developer', audit: reads }, async (core, { gameId }, context) => {
    const { kept, runs } = await getRetention(core.store, await studioOf(core, context), gameId)
    return {
      retention: { statementMonths: kept.statements, learnerMonths: kept.learners, sandboxMonths: kept.sandbox },
      receipts: runs.map(receiptMessage),
    }
  }),
  previewRetention: method({ right: 'developer', audit: reads }, async (core, { gameId, retention }, context) => {
    const { more, ...counts } = await previewRetention(core, await studioOf(core, context), gameId, keptOf(retention))
    return { expired: { ...expiredMessage(counts), more } }
  }),
  setRetention: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('game.set-retention'),
        details: ({ retention }) => ({
          'statement months': retention?.statementMonths || 'for good',
          'learner months': retention?.learnerMonths || 'for good',
          'sandbox months': retention?.sandboxMonths || 'for good',
        }),
      },
    },
    async (core, { gameId, retention }, context) =>
      setRetention(core.store, await studioOf(core, context), gameId, keptOf(retention)),
  ),
})

const keptOf = (retention: Retention | undefined): Kept => ({
  statements: retention?.statementMonths || null,
  learners: retention?.learnerMonths || null,
  sandbox: retention?.sandboxMonths || null,
})

const receiptMessage = ({ id, started, ended, counts }: RetentionRun) => ({
  receiptId: id,
  began: started,
  ended,
  expired: counts && expiredMessage(counts),
})

const expiredMessage = (counts: Readonly<Record<string, number | null>>) => ({
  ...counts,
  first: (counts['first'] ?? 0) / 1e6,
  last: (counts['last'] ?? 0) / 1e6,
})
