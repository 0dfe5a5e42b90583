import type { Range } from './look.ts'
import type { Parameters } from './page-parameters.ts'

/** A run of an index that ends in `stored`: rows `r` whose leading columns have these values. */
export interface Run {
  readonly table: 'statement' | 'posting'
  /** SQL by column. */
  readonly columns: Readonly<Record<string, string>>
  /** A further condition on the row `r`. */
  readonly when?: string
}

/** One filter: every statement that meets it, itself or by what it refers to, is in one of the runs. */
export interface Condition {
  readonly runs: readonly Run[]
  /** Whether the statement of this alias meets it by itself. */
  readonly test: (alias: string) => string
  /** SQL of its keys, which stand as terms in postings. */
  readonly keys: readonly string[]
}

/** What a page asks for, as SQL. */
export interface Query {
  /** The filters, the one that selects best first. */
  readonly conditions: readonly Condition[]
  /** `g.id` where a page reaches all games. */
  readonly game: string
  readonly learner: string | undefined
  readonly bytes: string
  readonly range: Range
}

export function queryOf(parameters: Parameters, ascending: boolean): Query {
  const { game = 'g.id', learner, bytes, after, until } = parameters
  return {
    conditions: conditionsOf(parameters, game),
    game,
    learner,
    bytes: bytes!,
    range: { after: after!, until: until!, ascending },
  }
}

function conditionsOf(parameters: Parameters, game: string): Condition[] {
  const { actor, relatedActor, authority, registration, activity, relatedActivity, verb } = parameters
  const conditions: Condition[] = []
  if (actor !== undefined) conditions.push(sentBy(authority, game, byKeys(game, 'actor', actor, relatedActor, true)))
  if (registration !== undefined) conditions.push(byKeys(game, 'registration', registration))
  if (activity !== undefined) {
    conditions.push(byKeys(game, 'activity', activity, relatedActivity, relatedActivity !== undefined))
  }
  if (verb !== undefined) conditions.push(byKeys(game, 'verb', verb))
  return conditions
}

/** By a column, and by terms of postings. @param hasOwnTerms the keys may stand among the statement's own terms */
function byKeys(game: string, column: string, key: string, related?: string, hasOwnTerms = false): Condition {
  const keys = related === undefined ? [key] : [key, related]
  return {
    keys,
    runs: [runOf(game, column, key), ...keys.map((term): Run => ({ table: 'posting', columns: { game, term } }))],
    test: (alias) => {
      const own = hasOwnTerms ? ` or coalesce(${alias}.terms && array[${keys.join(', ')}], false)` : ''
      return `(${alias}.${column} is not distinct from ${key}${own})`
    },
  }
}

/** An authority counts among related agents: whatever its credentials have sent. */
function sentBy(authority: string | undefined, game: string, condition: Condition): Condition {
  if (authority === undefined) return condition
  const senders = `select c.id from credential c where c.game = ${game} and c.authority = ${authority}`
  return {
    ...condition,
    runs: [...condition.runs, { ...runOf(game), when: `exists (${senders})` }],
    test: (alias) => `(${condition.test(alias)} or ${alias}.credential = any (array(${senders})))`,
  }
}

/** Statements of a game, or those with a value in a column. `is not null` admits indexes that leave out rows without one. */
export function runOf(game: string, column?: string, key = ''): Run {
  if (column === undefined) return { table: 'statement', columns: { game } }
  return { table: 'statement', columns: { game, [column]: key }, when: `r.${column} is not null` }
}
