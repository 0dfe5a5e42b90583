import { sizes } from '../../../shared/limits.ts'
import { throwIfStale, type Caller, readerOf } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { StoredAttachment } from '../store/cell/attachments.ts'
import type { CellPlaces, CellReading } from '../rules/cell-places.ts'
import type { Store } from '../../store.ts'
import type { Stored } from '../xapi/exact.ts'
import type { Form } from '../xapi/format.ts'
import { timeParameter, uuidParameter } from '../xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { StatementFilter } from '../../../shared/statement-filters.ts'
import { filterKeys, type FilterKeys, type SomeFilters } from '../xapi/statement-filter.ts'
import { attachmentsOf } from './attachments.ts'

export interface StatementQuery extends StatementFilter {
  /** 0: the maximum. */
  readonly limit: number
  readonly ascending: boolean
  /** `next` of the page before. */
  readonly offset: string
  /** Find nothing, but tell how far the order is complete. */
  readonly onlyConsistentThrough?: boolean
  /** How a reader of all games reads the cells. */
  readonly byCell?: CellReading
}

export interface Presentation extends Form {
  /** Tell which contents of attachments are stored with the statements. */
  readonly attachments: boolean
  /** Most bytes of a page; a larger statement comes alone. */
  readonly bytes: number
}

export interface Page {
  readonly statements: readonly Stored[]
  /** The position in the order at which the next page starts; empty at the end. */
  readonly next: string
  /** Microseconds: everything stored at or before is visible. */
  readonly consistentThrough: number
  /** How far the page goes in each cell; undefined: not asked for. */
  readonly cells?: CellPlaces
  /** Empty unless asked for. */
  readonly attachments: StoredAttachment[]
}

/** One statement by its id; voided ones only by `voided`. */
export async function getStatement(
  store: Store,
  caller: Caller,
  id: string,
  voided: boolean,
  how: Pick<Presentation, 'attachments'>,
) {
  const name = voided ? 'voidedStatementId' : 'statementId'
  const uuid = uuidParameter(id, name)
  if (uuid === undefined) throw new Problem(name, 'must be a UUID')
  const { statements, consistentThrough } = throwIfStale(await store.reads.byId(readerOf(caller), uuid, voided))
  const [statement] = statements
  if (!statement) throw new Refusal('not-found', `There is no ${voided ? 'voided ' : ''}statement with this id.`)
  const attachments = how.attachments ? await attachmentsOf(store, caller, [statement.stored]) : []
  return { statement, consistentThrough, attachments }
}

/** One page of the statements that match (xAPI 1.0.3 Communication 2.1.3). */
export async function queryStatements(
  store: Store,
  caller: Caller,
  query: StatementQuery,
  how: Pick<Presentation, 'attachments' | 'bytes'>,
): Promise<Page> {
  if (query.onlyConsistentThrough) return { ...noStatements, ...(await complete(store, caller, query.byCell)) }
  const filter = filterOf(caller, query)
  const limit = Math.min(query.limit || sizes.pageMaximum, sizes.pageMaximum)
  const { ascending } = query
  const place = offsetParameter(query.offset)
  const since = timeParameter(query.since, 'since')
  const until = timeParameter(query.until, 'until')
  const after = ascending && place !== undefined ? Math.max(place, since ?? 0) : since
  const last = !ascending && place !== undefined ? Math.min(place - 1, until ?? Infinity) : until
  const range = { after, until: last, ascending, limit, bytes: how.bytes, byCell: query.byCell }
  const found = throwIfStale(await store.reads.page(readerOf(caller), filter, range))
  const next = found.more ? String(found.statements.at(-1)!.stored) : ''
  const { statements, consistentThrough, cells } = found
  const attachments = how.attachments
    ? await attachmentsOf(
        store,
        caller,
        statements.map(({ stored }) => stored),
        cells?.cells.flatMap(({ cell, away }) => (away ? [] : [cell])),
      )
    : []
  return { statements, next, consistentThrough, cells, attachments }
}

const noStatements = { statements: [], next: '', attachments: [] }

/** How far the order is complete: as a page after the end of all time says it. */
async function complete(store: Store, caller: Caller, byCell?: CellReading) {
  const range = { after: Number.MAX_SAFE_INTEGER, ascending: true, limit: 1, byCell }
  const { consistentThrough, cells } = throwIfStale(await store.reads.page(readerOf(caller), {}, range))
  return { consistentThrough, cells }
}

/** The filters of a query, by key. @throws Problem; Refusal 'forbidden' when a launch token asks for another learner */
export function filterOf(caller: Caller, query: SomeFilters): FilterKeys {
  const keys = filterKeys(query, caller.rules)
  if (keys.agent && caller.learner && keys.agent !== caller.learner.agent)
    throw new Refusal('forbidden', 'A launch token reads the statements of its own learner only.', { path: 'agent' })
  return keys
}

function offsetParameter(text: string): number | undefined {
  if (text === '') return undefined
  if (!/^\d{1,16}$/.test(text)) throw new Problem('offset', 'must be the one of a `more` link, unchanged')
  return Number(text)
}
