import type { NamesIn } from '../../../../shared/statement-filters.ts'
import type { FilterKeys } from '../../xapi/statement-filter.ts'

/** Consecutive entries of an index that ends in `stored`: rows `r` whose leading columns have these values. */
export interface Run {
  readonly table: 'statement' | 'posting'
  /** SQL by column. */
  readonly columns: Readonly<Record<string, string>>
  /** A further condition on the row `r`. */
  readonly when?: string
}

/** One filter. Every statement that matches it, directly or by a StatementRef, is in one of the runs. */
export interface Condition {
  readonly runs: readonly Run[]
  /** SQL: the statement of this alias matches directly, not by a StatementRef. */
  readonly test: (alias: string) => string
  /** SQL of its keys: the values of `posting.term`. */
  readonly keys: readonly string[]
  /** Every statement in the runs matches. */
  readonly isExact: boolean
}

/** What filters put into the SQL, with its type, in the order of the placeholders. */
export const filterTypes = {
  agent: 'uuid',
  relatedAgent: 'uuid',
  authority: 'text',
  registration: 'uuid',
  activity: 'uuid',
  relatedActivity: 'uuid',
  verb: 'uuid',
} as const satisfies Record<keyof FilterKeys, string>

/** The conditions, the one that selects best first. @param parameters SQL of the filters */
export function conditionsOf(parameters: Partial<Record<keyof FilterKeys, string>>, game: string): Condition[] {
  const { agent, relatedAgent, authority, registration, activity, relatedActivity, verb } = parameters
  const conditions: Record<NamesIn<'direct'>, Condition | undefined> = {
    agent: agent ? sentBy(authority, game, byKeys(game, 'actor', agent, relatedAgent, true)) : undefined,
    registration: registration ? byKeys(game, 'registration', registration) : undefined,
    activity: activity ? byKeys(game, 'activity', activity, relatedActivity, relatedActivity !== undefined) : undefined,
    verb: verb ? byKeys(game, 'verb', verb) : undefined,
  }
  return Object.values(conditions).filter((one) => one !== undefined)
}

/** Matches a column or a term of a posting. @param hasOwnTerms `statement.terms` may hold the keys */
function byKeys(game: string, column: string, key: string, related?: string, hasOwnTerms = false): Condition {
  const keys = related === undefined ? [key] : [key, related]
  return {
    isExact: true,
    keys,
    runs: [runOf(game, column, key), ...keys.map((term): Run => ({ table: 'posting', columns: { game, term } }))],
    test: (alias) => {
      const own = hasOwnTerms ? ` or coalesce(${alias}.terms && array[${keys.join(', ')}], false)` : ''
      return `(${alias}.${column} is not distinct from ${key}${own})`
    },
  }
}

/** With related agents, an agent also matches the statements that credentials with this authority sent. */
function sentBy(authority: string | undefined, game: string, condition: Condition): Condition {
  if (authority === undefined) return condition
  const senders = `select c.id from credential c where c.game = ${game} and c.authority = ${authority}`
  return {
    ...condition,
    isExact: false,
    runs: [...condition.runs, { ...runOf(game), when: `exists (${senders})` }],
    test: (alias) => `(${condition.test(alias)} or ${alias}.credential = any (array(${senders})))`,
  }
}

/** Statements of a game, or those with a value in a column. `is not null` allows an index that leaves out NULL. */
export function runOf(game: string, column?: string, key = ''): Run {
  if (column === undefined) return { table: 'statement', columns: { game } }
  return { table: 'statement', columns: { game, [column]: key }, when: `r.${column} is not null` }
}
