import { filtersIn, type FilterKeys } from '../../xapi/statement-filter.ts'
import { batcher, usualWait } from '../../../process/concurrency/batcher.ts'
import type { Database, Prepared } from '../../../process/database/database.ts'
import type { RawRow } from '../../../process/database/wire.ts'
import {
  gameOf,
  parametersOf,
  placeholders,
  type PageRange,
  type ParameterName,
  type Reader,
} from './page-parameters.ts'
import { intersectionText, pageFields, pageText, type PageBounds } from './page-query.ts'
import { sizes } from '../../../../shared/limits.ts'
import { Refusal } from '../../../process/refusal.ts'
import type { Stored } from '../../xapi/exact.ts'
import type { Watermark } from './watermark.ts'

export interface StoredStatement {
  /** Microseconds. */
  readonly stored: number
  readonly body: Buffer
}

export interface Found {
  readonly statements: StoredStatement[]
  /** Microseconds: every statement stored at or before this time is visible. */
  readonly consistentThrough: number
}

/** At most 500 statements of a range. */
export interface StatementPage extends PageRange {
  readonly limit: number
  /** Most bytes of the page; a larger statement comes alone. Default 3 MiB. */
  readonly bytes?: number
}

export interface Page extends Found {
  /** Statements may follow. Then the page has at least one. */
  readonly more: boolean
}

/** The result of one query of a page. */
interface Look extends Found {
  /** The query read up to this position; null: to the end. */
  readonly stop: number | null
}

/** How far the queries of a page read; tests make it shorter. */
export interface Reach {
  /** Least candidates per way in the first query; it reads five per statement if that is more. */
  readonly first: number
  /** Candidates per way in a further query, which takes about 10 ms. */
  readonly further: number
  /** Steps of the first intersection, of the second, and of every later one. 1,000 steps take about 15 ms. */
  readonly steps: readonly [number, number, number]
  /** Milliseconds within which a page has to find its first statement. */
  readonly patience: number
}

const usual: Reach = { first: 250, further: 5_000, steps: [200, 1_000, 5_000], patience: 5_000 }

/** Reader of all games: number of games whose candidates a further query reads. */
const furtherGames = 250

/** Most further queries of a page that already has a statement. */
const fillingQueries = 2

/** Limits in the SQL. A page uses the next one above its own limit, so that few statements are prepared. */
const limits = [2, 11, 51, 101, 501]

const tooRare =
  'No matching statement was found in time. Set since and until to search a shorter period, or use fewer filters.'

interface Asked extends PageBounds {
  readonly game: number
  readonly reader: Reader
  readonly filter: FilterKeys
  readonly range: PageRange
  readonly bytes: number
  readonly textOf: typeof pageText
}

/**
 * Reads pages; 'stale': the credential has changed since it was looked up. One query reads the statements and the
 * latest position in the game, and checks the credential, all in one snapshot. If its candidates do not fill the page,
 * further queries go on from there (docs/adr/0018).
 */
export function pageReader(
  database: Database,
  watermark: Watermark,
  { first, further, steps, patience }: Reach = usual,
) {
  async function look(asked: Asked): Promise<Look | 'stale'> {
    const { reader, filter, range, bytes } = asked
    const parameters = parametersOf(reader, filter, range, bytes)
    const known = await watermark.read()
    const rows = await database.rows(
      preparedOf(
        asked,
        parameters.map(([name]) => name),
      ),
      parameters.map(([, value]) => value),
    )
    const [head] = rows.splice(
      rows.findIndex((row) => row.bytes(pageFields.current) !== null),
      1,
    )
    const found = foundIn([head!, ...rows], known, pageFields)
    if (found === 'stale') return found
    const stop = head!.number(pageFields.stop)
    found.statements.sort((one, other) => (range.ascending ? 1 : -1) * (one.stored - other.stored))
    return { ...found, stop }
  }

  // at most two at a time: the other connections stay free
  const { call: lookFurther } = batcher(async ([one]: readonly Asked[]) => [await look(one!)], {
    ...usualWait,
    maxWeight: 1,
    concurrency: 2,
  })

  return {
    /** A page, in order. @throws Refusal 'unavailable' if no matching statement is found in time */
    async page(reader: Reader, filter: FilterKeys, page: StatementPage): Promise<Page | 'stale'> {
      const ends = performance.now() + patience
      const { limit, bytes = sizes.page.run } = page
      const rows = limits.find((rows) => rows > limit)!
      const asked = { game: reader.game, reader, filter, rows }
      const candidates = Math.max(first, 5 * rows)
      const found = await look({ ...asked, range: page, candidates, games: rows, bytes, textOf: pageText })
      if (found === 'stale') return found
      const { statements, consistentThrough } = found
      const isOfOneGame = gameOf(reader) !== undefined
      const severalFilters = filtersIn(filter) + Number(reader.actor !== undefined) > 1 && isOfOneGame
      let { stop } = found
      let size = sizeOf(statements)
      let filling = 0
      // With several filters, intersections (fast if one filter is rare) and further candidates of the first filter
      // (fast if most of them match) take turns. Candidates go first if a fifth of the page was found already.
      let turn = statements.length * 5 < limit ? 0 : 1
      for (; stop !== null && statements.length <= limit && size < bytes; turn++) {
        if (statements.length > 0 && filling++ === fillingQueries) break
        if (performance.now() > ends) throw new Refusal('unavailable', tooRare)
        const range = page.ascending ? { ...page, after: stop } : { ...page, until: stop - 1 }
        const query =
          severalFilters && turn % 2 === 0
            ? { candidates: steps[Math.min(turn / 2, 2)]!, textOf: intersectionText }
            : { candidates: isOfOneGame ? further : first, textOf: pageText }
        const next = await lookFurther({ ...asked, ...query, range, games: furtherGames, bytes: bytes - size }).catch(
          (error: unknown) => {
            if (statements.length > 0 && error instanceof Refusal) return undefined
            throw error
          },
        )
        if (next === undefined) break
        if (next === 'stale') return next
        statements.push(...next.statements)
        size += sizeOf(next.statements)
        stop = next.stop
      }
      const fit = fitting(statements.slice(0, limit), bytes)
      return { statements: fit, consistentThrough, more: fit.length < statements.length || stop !== null }
    },
  }
}

/** Queries include the statement that exceeds the limit: it goes to the next page, unless it is the only one. */
export function fitting(statements: readonly Stored[], bytes: number): Stored[] {
  let size = 0
  const end = statements.findIndex(({ body }, index) => (size += body.length) > bytes && index > 0)
  return statements.slice(0, end < 0 ? undefined : end)
}

const prepared = new Map<string, Prepared>()

/** One prepared query for each shape of a page. Shapes are few, because the text holds no values. */
function preparedOf(
  { textOf, range: { ascending, voided }, rows, candidates, games }: Asked,
  names: readonly ParameterName[],
): Prepared {
  const shape = `${textOf.name} ${ascending ? 'up' : 'down'}${voided ? ' voided' : ''} ${rows} ${candidates} ${games} ${names.join()}`
  let query = prepared.get(shape)
  if (!query) {
    const text = textOf({ parameters: placeholders(names), ascending, voided, rows, candidates, games })
    prepared.set(shape, (query = { name: `page_${prepared.size + 1}`, text }))
  }
  return query
}

/** Positions of the fields in a row of a read by id. */
export const fields = { current: 0, through: 1, stored: 2, body: 3 }
const yes = 't'.charCodeAt(0)

/**
 * The statements in the rows of a read; 'stale': the credential has changed.
 * @param known the watermark as it was before the read
 */
export function foundIn(rows: readonly RawRow[], known: number, at: typeof fields = fields): Found | 'stale' {
  const [first] = rows
  if (first!.bytes(at.current)![0] !== yes) return 'stale'
  const statements: StoredStatement[] = []
  for (const row of rows) {
    const stored = row.number(at.stored)
    if (stored !== null) statements.push({ stored, body: row.bytes(at.body)! })
  }
  return { statements, consistentThrough: Math.max(known, first!.number(at.through) ?? 0) }
}

/** Bytes. */
const sizeOf = (statements: readonly StoredStatement[]) => statements.reduce((sum, { body }) => sum + body.length, 0)
