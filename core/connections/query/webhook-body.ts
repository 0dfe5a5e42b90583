import { webhooks as limits } from '../../../shared/limits.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { readerOf } from '../../records/access/caller.ts'
import type { Core } from '../../context.ts'
import type { Page } from '../../records/store/cell/read-pages.ts'
import type { Delivery } from '../store/webhook-deliveries.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { exactRun, type Stored } from '../../records/xapi/exact.ts'
import { idOf } from '../../records/xapi/spans.ts'
import { timestampOf } from '../../records/xapi/timestamp.ts'
import { filterOf } from '../../records/query/statements.ts'

type Uses = Pick<Core, 'store' | 'fairQueue' | 'authenticator' | 'config'>

/** Part of the order, in microseconds. */
export interface Range {
  readonly after: number
  readonly until?: number | undefined
}

/** The next statements of a game for a webhook; undefined: the game has none. */
export async function batchOf(
  core: Uses,
  gameId: string,
  filter: KeptFilter,
  { after, until }: Range,
): Promise<Page | undefined> {
  for (;;) {
    const reader = await gameReader(core, undefined, { gameId, sandbox: false })
    if (!reader) return undefined
    const range = { ascending: true, limit: limits.statements, bytes: limits.bytes, after, until }
    // of this game alone, even if its credential may read more
    const page = await core.fairQueue.run(reader.game, () =>
      core.store.statements.page({ ...readerOf(reader), everything: false }, filterOf(reader, filter), range),
    )
    if (page !== 'stale') return page
    await core.authenticator.forget(reader)
  }
}

/** What a delivery sends: the same bytes in every attempt, but for statements that were erased or voided meanwhile. */
export async function webhookBody(core: Uses, gameId: string, delivery: Delivery): Promise<Buffer> {
  const { type, data, happened } = delivery
  if (data !== null) return Buffer.from(JSON.stringify({ type, timestamp: new Date(happened).toISOString(), data }))
  const range = { after: delivery.after!, until: delivery.until! }
  const page = await batchOf(core, gameId, delivery.filter!, range)
  return statementsBody(gameId, page?.statements ?? [], delivery.until!)
}

/** The statements as they are stored, byte for byte: numbers keep their digits. */
function statementsBody(gameId: string, statements: readonly Stored[], until: number): Buffer {
  // one that is larger comes alone
  const isLarge = ({ body }: Stored): boolean => body.length > limits.bytes
  const tooLarge = statements.filter(isLarge).map(({ body }) => idOf(body.toString()))
  const head = { type: 'statements.stored', timestamp: timestampOf(until), data: { gameId, tooLarge } }
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -2)},"statements":[`),
    exactRun(statements.filter((one) => !isLarge(one))),
    Buffer.from(']}}'),
  ])
}
