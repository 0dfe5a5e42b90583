import { createHash } from 'node:crypto'
import { SettingError } from '../../shared/settings/kinds.ts'
import { filterNames, statementFilters } from '../../shared/statement-filters.ts'
import { statementFilterOf } from '../filter.ts'
import { amount } from '../show.ts'
import type { Call } from '../command.ts'
import { Failed } from '../failed.ts'
import { ahead, batchesOf, importBatch, nothingYet } from '../import-batches.ts'
import { finish, refusals, type ImportOptions } from '../import-report.ts'
import { otherStore, type OtherStore, type Page } from '../other-store.ts'
import { progress } from '../progress.ts'
import { readState, writeState } from '../state-file.ts'
import { keyOf } from '../which-key.ts'

interface State {
  /** What is imported: store and filters. */
  readonly of: string
  /** Place of the next page in the run that was broken off; empty: it came to its end. */
  readonly more: string
  /** Everything stored until then is here. */
  readonly since: string
  readonly count: number
}

/** Stores may show statements a little later than their `stored` says; what comes twice is skipped. */
const overlapMs = 5000

/** Takes statements over as they are, in the order of their store: page by page, the next one fetched while one is stored. */
export const importStore: Call<ImportOptions & { from: string }> = async (core, options, session) => {
  const { from, auth = session.env['LRS_IMPORT_AUTH'] ?? '', xapiVersion } = options
  const other = otherStore(session, from, auth, xapiVersion)
  const key = await keyOf(session, core, options)
  const query = queryOf(options)
  const of = `${from} ${query} → ${session.config().coreUrl} ${key}`
  const path = options.state ?? `games-lrs-import-${createHash('sha256').update(of).digest('hex').slice(0, 12)}.json`
  const begun = await readState<State>(path)
  if (begun && begun.of !== of)
    throw new SettingError(`${path} belongs to another import: name another file with --state.`)
  if (begun) session.note(`Continuing after ${amount(begun.count, 'statement')}, as ${path} says.`)
  const totals = nothingYet()
  const refuse = refusals(options.rejects)
  const bar = progress('Importing')
  let { count } = begun ?? { count: 0 }
  try {
    for await (const { page, since } of ahead(pagesOf(other, query, begun))) {
      try {
        for await (const batch of batchesOf(page.statements, count, page.contents)) {
          await importBatch(session, core, key, batch, totals, refuse)
          count += batch.statements.length
          bar.show(count)
        }
      } finally {
        await page.drop()
      }
      await writeState(path, { of, more: page.more, since, count } satisfies State)
    }
  } finally {
    bar.end()
    await other.close()
  }
  return finish(session, totals, { state: path })
}

function queryOf({ attachments, ...options }: ImportOptions): URLSearchParams {
  const filter = statementFilterOf(options)
  return new URLSearchParams([
    ...filterNames.flatMap((name) => (filter[name] ? [[statementFilters[name].parameter, String(filter[name])]] : [])),
    ['ascending', 'true'],
    ['limit', '500'],
    ...(attachments === false ? [] : [['attachments', 'true']]),
  ])
}

const mostEmptyPages = 100

/** Each page with the time until when everything is here once it is stored. @throws Failed when the store goes round in circles */
async function* pagesOf(
  other: OtherStore,
  query: URLSearchParams,
  begun: State | undefined,
): AsyncGenerator<{ page: Page; since: string }> {
  let since = begun?.since ?? ''
  let place = begun?.more || after(query, since)
  let lost: string | undefined
  let empty = 0
  // Brent's cycle detection: a store whose `more` goes in a circle returns this one again
  let [kept, steps, turn] = ['', 0, 1]
  for (;;) {
    const page = await other.page(place)
    if (page === undefined) {
      // no store has to keep its pages for long, but for one
      if (lost === since)
        throw new Failed(
          'The other store does not find the next page that it named itself, so the import cannot continue.',
        )
      lost = since
      place = after(query, since)
      continue
    }
    const { more, statements } = page
    since = placeAfter(page, since)
    yield { page: await withVoided(other, page), since }
    if (more === '') return
    empty = statements.length === 0 ? empty + 1 : 0
    if (more === kept || empty > mostEmptyPages)
      throw new Failed('The other store names pages without end. Its statements up to here are imported.')
    if (++steps === turn) [kept, steps, turn] = [more, 0, turn * 2]
    place = more
  }
}

function after(query: URLSearchParams, since: string): URLSearchParams {
  const place = new URLSearchParams(query)
  const time = Date.parse(since)
  if (!Number.isNaN(time)) place.set('since', new Date(time - overlapMs).toISOString())
  return place
}

function placeAfter({ statements, consistentThrough, more }: Page, before: string): string {
  const last =
    statements.length > 0
      ? String((JSON.parse(Buffer.from(statements.at(-1)!).toString()) as { stored?: string }).stored ?? '')
      : before
  const isSooner = more === '' && consistentThrough !== undefined && Date.parse(consistentThrough) < Date.parse(last)
  return isSooner ? consistentThrough : last
}

/** Queries leave voided statements out, so a full import requests each by its id. */
async function withVoided(other: OtherStore, page: Page): Promise<Page> {
  const statements: Uint8Array[] = []
  for (const statement of page.statements) {
    if (Buffer.from(statement.buffer, statement.byteOffset, statement.length).includes('verbs/voided"')) {
      const { verb, object } = JSON.parse(Buffer.from(statement).toString()) as {
        verb?: { id?: string }
        object?: { id?: string }
      }
      const voided =
        verb?.id === 'http://adlnet.gov/expapi/verbs/voided' && object?.id ? await other.voided(object.id) : undefined
      if (voided) statements.push(voided)
    }
    statements.push(statement)
  }
  return { ...page, statements }
}
