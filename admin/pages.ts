import type { QueryStatementsResponse } from '../gen/lrs/v1/statements_pb.js'
import { again } from './again.ts'
import type { CoreClient } from './core-client.ts'
import type { Filter } from './filter.ts'
import type { Session } from './session.ts'
import { actingFor } from './which-key.ts'

const pageSize = 500
const timeoutMs = 60_000

/** The pages of a query. The next page is requested while one is processed. @param limit statements in all */
export async function* pages(
  session: Session,
  core: CoreClient,
  key: string,
  filter: Filter,
  limit = Infinity,
): AsyncGenerator<QueryStatementsResponse> {
  const ask = (offset: string, left: number) => {
    const request = { ...filter, offset, limit: Math.min(pageSize, left) }
    const page = again(session, () =>
      core.statements.queryStatements(request, { ...actingFor(key), signal: session.ending, timeoutMs }),
    )
    page.catch(() => {})
    return page
  }
  for (let left = limit, next = ask('', left); ;) {
    const page = await next
    left -= page.json.length
    const more = page.next !== '' && left > 0
    if (more) next = ask(page.next, left)
    yield page
    if (!more) return
  }
}
