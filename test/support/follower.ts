import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import type { CoreClient } from './core-client.ts'
import type { TestDatabase } from './database.ts'
import { player, statements } from './statements.ts'

export interface Order {
  /** In the order in which they came; `stored` in microseconds. */
  seen: { id: string; stored: number }[]
  /**
   * What an answer gave as Consistent-Through, and how many statements up to it another reader saw right afterwards.
   */
  watermarks: { through: number; visible: number }[]
  /**
   * Of pages that nothing followed: where they began, what they gave as Consistent-Through, and how many statements
   * they had.
   */
  ends: { after: number; through: number; count: number }[]
}

/** Writes batches of 1 to 30 statements until the time is up; answers the ids that were acknowledged. */
export async function write({ statements: service }: CoreClient, writer: number, until: number): Promise<string[]> {
  const acknowledged: string[] = []
  for (let turn = writer; performance.now() < until; turn++) {
    const batch = statements([1, 3, 30, 1, 7, 2][turn % 6]!, { actor: player(`writer-${writer}`) })
    const { ids } = await service.storeStatements({ json: Buffer.from(JSON.stringify(batch)) })
    acknowledged.push(...ids)
  }
  return acknowledged
}

/** The same; a busy machine may refuse a request, whose statements do not count as acknowledged then. */
export async function writePatiently(client: CoreClient, writer: number, until: number): Promise<string[]> {
  const acknowledged: string[] = []
  for (let turn = writer; performance.now() < until; turn++) {
    try {
      acknowledged.push(...(await write(client, turn, performance.now() + 1)))
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable) throw error
    }
  }
  return acknowledged
}

/**
 * Reads along until `stop`, then to the end: by `since` with the last `stored`, or along the pages of `more`
 * (`since` again only where they end). A `stop` whose reason is an id ends it when it has seen that statement: a standby
 * may not have it yet.
 */
export async function follow(
  { statements: service }: CoreClient,
  by: 'since' | 'more',
  database: TestDatabase,
  gameId: string,
  stop: AbortSignal,
): Promise<Order> {
  const order: Order = { seen: [], watermarks: [], ends: [] }
  let offset = ''
  for (let turn = 0; ; turn++) {
    const last = stop.aborted
    const after = order.seen.at(-1)?.stored ?? 0
    const since = after === 0 ? '' : timestampOf(after)
    const page = await service.queryStatements({
      since: offset === '' ? since : '',
      offset,
      ascending: true,
      limit: by === 'more' ? 50 : 500,
    })
    for (const json of page.json) {
      const { id, stored } = JSON.parse(Buffer.from(json).toString())
      order.seen.push({ id, stored: micros(stored) })
    }
    const through = Number(page.consistentThrough)
    if (page.next === '') order.ends.push({ after, through, count: page.json.length })
    if (turn % 10 === 0) {
      order.watermarks.push({ through, visible: await countThrough(database, gameId, through) })
    }
    if (by === 'more') offset = page.next
    const isAwaited = typeof stop.reason === 'string' && order.seen.every(({ id }) => id !== stop.reason)
    if (page.json.length === 0 && last && !isAwaited) return order
    if (page.json.length === 0) await sleep(2)
  }
}

async function countThrough(database: TestDatabase, gameId: string, through: number): Promise<number> {
  const text = 'select count(*)::int from statement s join game g on g.id = s.game where g.uuid = $1 and stored <= $2'
  const [row] = await database.sql<{ count: number }>(text, [gameId, through])
  return row!.count
}

/** Of a `stored` with six fractional digits. */
function micros(stored: string): number {
  if (!/\.\d{6}Z$/.test(stored)) throw new Error(`${stored} has not six fractional digits`)
  return Date.parse(`${stored.slice(0, 19)}Z`) * 1000 + Number(stored.slice(20, 26))
}
