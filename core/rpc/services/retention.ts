import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { ExpiredSchema, Retention, RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { setRetention } from '../../command/data/set-retention.ts'
import type { Core } from '../../context.ts'
import { getRetention, previewRetention } from '../../query/retention.ts'
import type { Kept, RetentionRun } from '../../store/directory/retention.ts'
import { developer, isAdmin } from './developer.ts'

/** How long data of a game is kept. */
export function retentionService(core: Core): ServiceImpl<typeof RetentionService> {
  const { store } = core
  /** The studio that must own the game; undefined: an admin acts for every game. */
  const studioOf = async (context: HandlerContext): Promise<number | undefined> =>
    isAdmin(core, context) ? undefined : (await developer(core, context)).studio
  return {
    async getRetention({ gameId }, context) {
      const { kept, runs } = await getRetention(store, await studioOf(context), gameId)
      return {
        retention: {
          statementMonths: kept.statements ?? 0,
          learnerMonths: kept.learners ?? 0,
          sandboxMonths: kept.sandbox ?? 0,
        },
        receipts: runs.map(receiptMessage),
      }
    },
    async previewRetention({ gameId, retention }, context) {
      const { more, ...counts } = await previewRetention(core, await studioOf(context), gameId, keptOf(retention))
      return { expired: { ...expiredMessage(counts), more } }
    },
    async setRetention({ gameId, retention }, context) {
      await setRetention(store, await studioOf(context), gameId, keptOf(retention))
      return {}
    },
  }
}

const keptOf = (retention: Retention | undefined): Kept => ({
  statements: retention?.statementMonths || null,
  learners: retention?.learnerMonths || null,
  sandbox: retention?.sandboxMonths || null,
})

const receiptMessage = ({ id, started, ended, counts }: RetentionRun) => ({
  receiptId: id,
  began: BigInt(Math.floor(started)),
  ended: BigInt(Math.floor(ended ?? 0)),
  expired: counts ? expiredMessage(counts) : undefined,
})

function expiredMessage(counts: Readonly<Record<string, number | null>>): MessageInitShape<typeof ExpiredSchema> {
  const of = (name: string) => BigInt(Math.floor(counts[name] ?? 0))
  const seconds = (name: string) => of(name) / 1_000_000n
  return {
    statements: of('statements'),
    learners: of('learners'),
    documents: of('documents'),
    first: seconds('first'),
    last: seconds('last'),
    sandboxStatements: of('sandboxStatements'),
    sandboxDocuments: of('sandboxDocuments'),
  }
}
