import { ours, say } from '../../../shared/say.ts'
import { deletions as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { readerOf, type Caller } from '../../records/access/caller.ts'
import { noGame } from '../../records/access/no-game.ts'
import { filterOf } from '../../records/query/statements.ts'
import type { StatementPlace } from '../../records/store/cell/expiry-looks.ts'
import type { Page, StatementPage } from '../../records/store/cell/read-pages.ts'
import { timeParameter } from '../../records/xapi/parameters.ts'
import { idOf } from '../../records/xapi/spans.ts'
import { uuidPseudonym } from '../export/pseudonyms.ts'
import type { StatementFilter } from '../../../shared/statement-filters.ts'

export interface Doomed {
  readonly filters: StatementFilter
  /** Single statements, in place of filters. */
  readonly ids: readonly string[]
  /** Microseconds: what a filter finds later is not among them; 0: all that are stored by now. */
  readonly through: number
}

export interface Found {
  /** Voiding ones last: what they have voided is taken off the counts before them. */
  readonly statements: readonly StatementPlace[]
  /** How many go only because a voiding statement among them has voided them. */
  readonly voided: number
  /** Of the game, or of its sandbox; 0: it has no statements. */
  readonly game: number
  /** Microseconds. */
  readonly through: number
}

/** Names of the filters that are used. */
export const namesOf = (filters: StatementFilter): string[] =>
  Object.entries(filters).flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [name] : []))

/**
 * Finds what a deletion is to remove.
 * @param open reads the game; again, when its credential has changed. Undefined: it has no statements
 * @throws Problem, Refusal
 */
export async function findDoomed(
  core: Pick<Core, 'store' | 'fairQueue' | 'authenticator'>,
  open: () => Promise<Caller | undefined>,
  { filters, ids, through }: Doomed,
): Promise<Found> {
  const isFiltered = namesOf(filters).length > 0
  if (!isFiltered && ids.length === 0)
    throw new Problem('filters', 'must have at least one filter, unless ids name statements')
  if (isFiltered && ids.length > 0) throw new Problem('ids', 'cannot be combined with filters')
  const { expiry, statements } = core.store
  const game = (await open())?.game
  if (game === undefined) return { game: 0, statements: [], voided: 0, through }
  const found = new Map<number, string>()
  for (const { stored, id } of await expiry.placesOf(game, ids)) found.set(stored, id)
  let reached = through
  const end = timeParameter(filters.until, 'until') ?? Infinity
  for (let after = timeParameter(filters.since, 'since'), more = isFiltered; more;) {
    const until = Math.min(reached || Infinity, end)
    const page = await read({ after, until: Number.isFinite(until) ? until : undefined })
    reached ||= page.consistentThrough
    for (const { stored, body } of page.statements) found.set(stored, idOf(body.toString()))
    if (found.size > limits.statements) throw tooMany()
    after = page.statements.at(-1)?.stored
    more = page.more && after !== undefined
  }
  const named = found.size
  const voiding = await expiry.voiding(game, [...found.keys()])
  for (const { target, targetId } of voiding) if (target !== null) found.set(target, targetId)
  if (found.size > limits.statements) throw tooMany()
  const last = new Set(voiding.map(({ stored }) => stored))
  const all = [...found].map(([stored, id]) => ({ stored, id }))
  const [others, voids] = [all.filter(({ stored }) => !last.has(stored)), all.filter(({ stored }) => last.has(stored))]
  return { game, statements: [...others, ...voids], voided: all.length - named, through: reached }

  /** Once more when the credential of the game has changed. */
  async function read(range: Pick<StatementPage, 'after' | 'until'>): Promise<Page> {
    const reader = await open()
    if (!reader) throw noGame()
    const own = { ...readerOf(reader), everything: false }
    const keys = filterOf(reader, filters)
    const page = await core.fairQueue.run(reader.game, () =>
      statements.page(own, keys, { ...range, ascending: true, voided: true, limit: 500 }),
    )
    if (page !== 'stale') return page
    await core.authenticator.forget(reader)
    return read(range)
  }
}

/** The ids as a forward with pseudonyms has sent them, in an order that does not tell which is which. */
export const asSent = (ids: readonly string[], key: Uint8Array): string[] => ids.map(uuidPseudonym(key)).toSorted()

const tooMany = (): Refusal =>
  new Refusal(
    'too-many-statements',
    say`A deletion removes ${ours(limits.statements)} statements at most: choose a shorter period.`,
  )
