import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import { isCut } from '../failure.ts'
import {
  awayIn,
  byCell,
  cellReadingOf,
  filtered,
  filterOf,
  ofGame,
  presented,
  statementFilterOf,
  type Filter,
  type FilterOptions,
} from '../filter.ts'
import { followFilter } from '../../shared/statement-filters.ts'
import { fromZero } from '../option-values.ts'
import { plain } from '../plain.ts'
import type { Session } from '../session.ts'
import { parsed, statementColumns } from '../statement-row.ts'
import { lineOf, microsOf, storedOf, timeOf } from '../stored.ts'
import { actingFor, keyOf } from '../which-key.ts'

type Start = { case: 'after'; value: bigint } | { case: 'since'; value: string } | { case: 'fromNow'; value: true }
type Reading = Filter['byCell']

/** Core says something every 5 seconds: a stream that is silent for so long is dead. */
const silenceMs = 20_000
const longestWaitMs = 5000

export const tailStatements = command({
  about: 'print the last statements, then each new one, until Ctrl-C',
  options: {
    ...ofGame,
    ...filtered,
    ...presented,
    ...byCell,
    '-n, --last <n>': { about: 'number of statements to begin with', parse: fromZero, default: 10 },
    '--since <time>': 'begin with all stored after this time (ISO 8601) instead',
  },
  examples: ['statements tail --game chess', 'statements tail --game chess --since 2026-11-21T08:00:00Z --json'],
  async run(core, options, session) {
    const key = await keyOf(session, core, options)
    let reading: Reading = cellReadingOf(options)
    let start = await begin(session, core, key, { ...filterOf(options), byCell: reading }, options)
    let away = ''
    let isReached = start.case === 'after'
    for (let wait = 200; ; wait = Math.min(longestWaitMs, wait * 2)) {
      try {
        for await (const { json, through, cells } of listen(session, core, key, options, start, reading)) {
          start = { case: 'after', value: through }
          if (reading && cells) reading = { ...reading, places: cells }
          if (awayIn(cells) !== away) session.note((away = awayIn(cells)) || 'All cells can be read again.')
          isReached = true
          wait = 200
          await show(session, json)
        }
      } catch (error) {
        if (!isReached || session.ending.aborted || !isCut(error)) throw error
      }
      const where = start.case === 'after' ? ` at ${timeOf(start.value)}` : ''
      if (wait === 200) session.note(`The connection was lost${where}. Continuing from there …`)
      await sleep(wait, undefined, { signal: session.ending })
    }
  },
})

/** Shows the last ones, if any are wanted, and tells from where on to follow. */
async function begin(
  session: Session,
  core: CoreClient,
  key: string,
  filter: Filter,
  { since, last }: { since?: string; last: number },
): Promise<Start> {
  if (since !== undefined) return { case: 'since', value: since }
  if (last === 0) return { case: 'fromNow', value: true }
  const page = await core.statements.queryStatements({ ...filter, limit: last }, actingFor(key))
  const json = page.json.toReversed()
  await show(session, json)
  return { case: 'after', value: json.length > 0 ? microsOf(storedOf(json.at(-1)!)) : page.consistentThrough }
}

async function* listen(
  { ending }: Session,
  core: CoreClient,
  key: string,
  options: FilterOptions,
  start: Start,
  byCell: Reading,
) {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(), silenceMs)
  const { format, acceptLanguage } = filterOf(options)
  const request = { ...followFilter(statementFilterOf(options)), format, acceptLanguage, start, byCell }
  try {
    for await (const message of core.statements.follow(request, {
      ...actingFor(key),
      signal: AbortSignal.any([ending, silent.signal]),
      timeoutMs: 0,
    })) {
      timer.refresh()
      yield message
    }
  } finally {
    clearTimeout(timer)
  }
}

async function show(session: Session, json: readonly Uint8Array[]): Promise<void> {
  if (json.length === 0) return
  const lines = json.map((one) =>
    session.json ? lineOf(one) : `${plain(rowOf(one)).replaceAll('\n', ' ').trimEnd()}\n`,
  )
  await session.write(Buffer.concat(lines.map((line) => Buffer.from(line as string))))
}

function rowOf(one: Uint8Array): string {
  const statement = parsed(one)
  return Object.values(statementColumns)
    .map((cell) => cell(statement))
    .join('  ')
}
