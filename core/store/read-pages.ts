import type { Database, Prepared } from './database.ts'
import { foundIn, sizeOf, type Found, type StoredStatement } from './found.ts'
import { gather, patient } from './gather.ts'
import {
  parametersOf, placeholders, type PageRange, type ParameterName, type Reader, type StatementFilter,
} from './page-parameters.ts'
import { intersectionText, pageFields, pageText, type PageBounds } from './page-query.ts'
import { Refusal } from '../refusal.ts'
import type { Watermark } from './watermark.ts'

/** At most 500 statements of a range. */
export interface StatementPage extends PageRange {
  readonly limit: number
  /** The page ends with the statement that passes this; 4 MiB unless told. */
  readonly bytes?: number
}

export interface Page extends Found {
  /** Statements may follow; then there is at least one in the page. */
  readonly more: boolean
}

/** One look of a page. */
interface Look extends Found {
  /** Nothing beyond this place was looked at; null: all was. */
  readonly stop: number | null
}

/** How far a page looks; tests make it shorter. */
export interface Reach {
  /** Candidates of each way in the first look, at least; it takes five for each statement. */
  readonly first: number
  /** Candidates, or steps of an intersection, in each further look. */
  readonly further: number
  /** Milliseconds in which a page has to find its first statement. */
  readonly patience: number
}

/** A further look takes about 50 ms. */
const usual: Reach = { first: 250, further: 5_000, patience: 5_000 }

/** Limits that stand in the text of a query; a page takes the next larger one. */
const limits = [2, 11, 51, 101, 501]

/** A page ends with the statement that passes this many bytes, so that one page never fills the memory. */
const pageBytes = 4 * 1024 * 1024

const tooRare =
  'The filters match too few statements to find the next one in time. ' +
  'Narrow the time with since and until, or use fewer filters.'

interface Asked extends PageBounds {
  readonly game: number
  readonly reader: Reader
  readonly filter: StatementFilter
  readonly range: PageRange
  readonly bytes: number
  readonly textOf: typeof pageText
}

/**
 * Reads pages ('stale': the credential has changed since it was looked up): one round trip for the statements, the latest
 * place in the game and the check of the credential, all of one snapshot. When the first candidates do not fill the page,
 * further looks go on from there (docs/adr/0018).
 */
export function pageReader(database: Database, watermark: Watermark, { first, further, patience }: Reach = usual) {
  async function look(asked: Asked): Promise<Look | 'stale'> {
    const { reader, filter, range, bytes } = asked
    const parameters = parametersOf(reader, filter, range, bytes)
    const known = await watermark.read()
    const rows = await database.rows(
      preparedOf(asked, parameters.map(([name]) => name)),
      parameters.map(([, value]) => value),
    )
    const found = foundIn(rows, known, pageFields)
    if (found === 'stale') return found
    const stop = rows[0]!.number(pageFields.stop)
    const beyond = ({ stored }: StoredStatement) => stop !== null && (range.ascending ? stored > stop : stored < stop)
    const statements = found.statements
      .filter((one) => !beyond(one))
      .sort((one, other) => (range.ascending ? 1 : -1) * (one.stored - other.stored))
    return { ...found, statements, stop }
  }

  // two at a time: whoever asks for what is rare leaves connections to others
  const { ask: lookFurther } = gather(async ([one]: readonly Asked[]) => [await look(one!)], { ...patient, most: 1, atOnce: 2 })

  return {
    /** A page, in order. @throws Refusal 'unavailable' when what matches is too rare to find in time */
    async page(reader: Reader, filter: StatementFilter, page: StatementPage): Promise<Page | 'stale'> {
      const ends = performance.now() + patience
      const { limit, bytes = pageBytes } = page
      const rows = limits.find((rows) => rows > limit)!
      const asked = { game: reader.game, reader, filter, rows }
      const found = await look({ ...asked, range: page, candidates: Math.max(first, 5 * rows), bytes, textOf: pageText })
      if (found === 'stale') return found
      const { statements, consistentThrough } = found
      const textOf = filtersOf(reader, filter) > 1 && !reader.everything ? intersectionText : pageText
      let { stop } = found
      let size = sizeOf(statements)
      // until there is a statement the time decides; then one more look may fill the page
      for (let last = false; stop !== null && statements.length <= limit && size < bytes && !last; ) {
        if (performance.now() > ends) throw new Refusal('unavailable', tooRare)
        last = statements.length > 0
        const range = page.ascending ? { ...page, after: stop } : { ...page, until: stop - 1 }
        const next = await lookFurther({ ...asked, range, candidates: further, bytes: bytes - size, textOf })
        if (next === 'stale') return next
        statements.push(...next.statements)
        size += sizeOf(next.statements)
        stop = next.stop
      }
      const more = statements.length > limit || size >= bytes || stop !== null
      return { statements: statements.slice(0, limit), consistentThrough, more }
    },
  }
}

/** How many filters there are, a launch token's learner included. */
function filtersOf({ actor }: Reader, { agent, verb, activity, registration }: StatementFilter): number {
  return [actor, agent, verb, activity, registration].filter((key) => key !== undefined).length
}

const prepared = new Map<string, Prepared>()

/** One prepared query for each shape of a page, of which there are few: its text holds no values. */
function preparedOf({ textOf, range: { ascending }, rows, candidates }: Asked, names: readonly ParameterName[]): Prepared {
  const shape = `${textOf.name} ${ascending ? 'up' : 'down'} ${rows} ${candidates} ${names.join()}`
  let query = prepared.get(shape)
  if (!query) {
    const text = textOf({ parameters: placeholders(names), ascending, rows, candidates })
    prepared.set(shape, (query = { name: `page_${prepared.size + 1}`, text }))
  }
  return query
}
