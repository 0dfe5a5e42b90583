import { command } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import {
  awayIn,
  byCell,
  cellReadingOf,
  filtered,
  filterOf,
  ofGame,
  presented,
  related,
  timed,
  type FilterOptions,
} from '../filter.ts'
import { fromOne } from '../option-values.ts'
import { pages } from '../pages.ts'
import type { Session } from '../session.ts'
import { number, table } from '../show.ts'
import { parsed, statementColumns } from '../statement-row.ts'
import { lineOf } from '../stored.ts'
import { actingFor, keyOf } from '../which-key.ts'

export const queryStatements = command({
  about: 'list statements, the newest first',
  options: {
    ...ofGame,
    ...filtered,
    ...related,
    ...timed,
    ...presented,
    ...byCell,
    '--ascending': 'list the oldest first',
    '--limit <n>': { about: 'number of statements', parse: fromOne, default: 50 },
    '--all': 'list all that match',
    '--id <uuid>': 'show one statement',
    '--voided-id <uuid>': 'show one voided statement',
  },
  notes: 'With --json, each statement is one line, byte for byte as stored.',
  examples: [
    'statements query --game chess --agent ann@example.org --since 2026-11-01T00:00:00Z',
    'statements query --game chess --verb http://adlnet.gov/expapi/verbs/completed --all --json | jq .result.score',
  ],
  async run(core, options, session) {
    const key = await keyOf(session, core, options)
    if (options.id !== undefined || options.voidedId !== undefined) return showOne(session, core, key, options)
    const limit = options.all ? Infinity : options.limit
    let count = 0
    let isMore = false
    let away = ''
    const filter = { ...filterOf(options), byCell: cellReadingOf(options) }
    for await (const { json, next, cells } of pages(session, core, key, filter, limit)) {
      away ||= awayIn(cells)
      if (json.length === 0) break
      if (session.json) await session.write(Buffer.concat(json.map(lineOf)))
      else await session.write(`${rowsOf(json, count === 0)}\n`)
      count += json.length
      isMore = next !== ''
    }
    if (away !== '') session.note(away)
    const shown = count === 1 ? 'the first one is' : `the first ${number(count)} are`
    if (count === 0) session.note('No statement matches.')
    else if (isMore) session.note(`Only ${shown} shown: --limit or --all show more.`)
  },
})

interface OneOf extends FilterOptions {
  readonly id?: string
  readonly voidedId?: string
}

async function showOne(session: Session, core: CoreClient, key: string, options: OneOf): Promise<void> {
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
  const text = table(json.map(parsed), '', statementColumns)
  return withHead ? text : text.slice(text.indexOf('\n') + 1)
}
