import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import type { Credential } from '../fill.ts'
import { openConnection, requestOf } from '../load/http.ts'
import { progress } from '../progress.ts'
import { withClient } from '../system.ts'
import { agentOf, authorizationFor, targetsOf, type Target } from '../targets.ts'

/** Milliseconds after which an idle connection has reported its counters to pg_stat_io. */
const toldAfter = 11_000

/**
 * Reads pages of 50 by agents from all over the order. Returns how many blocks Postgres read into its buffers for each
 * statement of the pages. No other client may read meanwhile.
 */
export async function blocksOfPages(
  port: number,
  url: string,
  credentials: readonly Credential[],
  count: number,
): Promise<number> {
  const targets = await targetsOf(url, credentials, count)
  // the first pages of a connection also read the catalog, so they do not count
  const rest = targets.splice(Math.ceil(count / 5))
  await statementsOf(port, targets)
  const before = await readBlocks(url)
  const statements = await statementsOf(port, rest)
  return ((await readBlocks(url)) - before) / statements
}

async function statementsOf(port: number, targets: readonly Target[]): Promise<number> {
  const connection = await openConnection(port)
  let count = 0
  for (const target of targets) {
    const parameters = new URLSearchParams({ agent: agentOf(target), until: timestampOf(target.stored), limit: '50' })
    const { status, body } = await connection.send(
      requestOf('GET', `/xapi/statements?${parameters}`, authorizationFor(target)),
    )
    const found = status === 200 ? (JSON.parse(body.toString()) as { statements: unknown[] }).statements.length : 0
    // at least the statement that the agent was taken from
    if (found === 0) throw new Error(`A wrong page: ${status} ${body.toString('utf8', 0, 300)}`)
    count += found
  }
  connection.close()
  return count
}

async function readBlocks(url: string): Promise<number> {
  progress('waiting until the server knows what was read')
  await new Promise((done) => setTimeout(done, toldAfter))
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `select sum(read_bytes) / current_setting('block_size')::int as blocks from pg_stat_io
       where backend_type = 'client backend' and object = 'relation'`,
    )
    return Number(rows[0].blocks)
  })
}
