import { number } from '../amount.ts'
import type { CoreClient } from '../core-client.ts'
import { actingFor } from '../core-client.ts'
import { filterOf, type FilterOptions } from '../filter.ts'
import { pages } from '../pages.ts'
import type { Session, Work } from '../session.ts'
import { table } from '../show.ts'
import { statementHead, statementRow } from '../statement-row.ts'
import { lineOf } from '../stored.ts'
import { keyOf } from '../which-key.ts'

interface Options extends FilterOptions {
  readonly id?: string
  readonly voidedId?: string
  readonly limit: number
  readonly all?: true
}

export const queryStatements: Work<Options> = async (session, _args, options) => {
  const core = await session.connect()
  const key = await keyOf(session, core, options)
  if (options.id !== undefined || options.voidedId !== undefined) return showOne(session, core, key, options)
  const limit = options.all ? Infinity : options.limit
  let count = 0
  let isMore = false
  for await (const { json, next } of pages(session, core, key, filterOf(options), limit)) {
    if (json.length === 0) break
    if (session.json) await session.write(Buffer.concat(json.map(lineOf)))
    else await session.write(`${rowsOf(json, count === 0)}\n`)
    count += json.length
    isMore = next !== ''
  }
  if (count === 0) session.note('No statement matches.')
  else if (isMore)
    session.note(
      `${count === 1 ? 'Only the first one is shown' : `Only the first ${number(count)} are shown`}: --limit or --all show more.`,
    )
}

async function showOne(session: Session, core: CoreClient, key: string, options: Options): Promise<void> {
  const { format, acceptLanguage } = filterOf(options)
  const { json } = await core.statements.getStatement(
    { statementId: options.id, voidedStatementId: options.voidedId, format, acceptLanguage },
    actingFor(key),
  )
  await session.write(
    session.json ? lineOf(json) : `${JSON.stringify(JSON.parse(Buffer.from(json).toString()), null, 2)}\n`,
  )
}

function rowsOf(json: readonly Uint8Array[], withHead: boolean): string {
  const text = table(statementHead, json.map(statementRow), '')
  return withHead ? text : text.slice(text.indexOf('\n') + 1)
}
