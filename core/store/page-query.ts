import type { Key } from '../xapi/identify.ts'
import { currentCredential, newestOf, newestOfAll } from './current.ts'
import { along, everything, exactly, type Range } from './look.ts'

/** Filters by key; those that are missing do not filter. */
export interface StatementFilter {
  readonly agent?: Key
  /** The same agent as it stands in related terms. */
  readonly relatedAgent?: Key
  /** JSON of the authority to match when related agents count. */
  readonly authority?: string
  readonly verb?: Key
  readonly activity?: Key
  readonly relatedActivity?: Key
  readonly registration?: string
}

/** Whose statements a page may show. */
export interface PageScope {
  readonly game: number
  /** Only statements of this actor. */
  readonly actor?: Key
  /** Those of all games but sandboxes, in place of `game`. */
  readonly everything: boolean
}

/** Microseconds: strictly after `after`, at or before `until`. */
export interface PageRange {
  readonly after?: number
  readonly until?: number
  readonly ascending: boolean
}

/** Limits stand in the text of a query, so that Postgres plans for them. */
export interface PageBounds {
  /** Statements. */
  readonly rows: number
  /** Candidates of each way that are looked at: rows of an index, or steps of an intersection. */
  readonly candidates: number
  /** The page ends with the statement that passes this many bytes. */
  readonly bytes: number
}

/** The columns that each row begins with; `stop`: nothing beyond this place was looked at (null: all was). */
export const pageFields = { current: 0, through: 1, stop: 2, stored: 3, body: 4 }

/** A run of an index that ends in `stored`: rows whose leading columns have these values. */
interface Run {
  readonly table: 'statement' | 'posting'
  readonly columns: Readonly<Record<string, string>>
  /** A further condition on the row `r`. */
  readonly when?: string
}

/** One filter: every statement that meets it, itself or by what it refers to, is in one of the runs. */
interface Condition {
  readonly runs: readonly Run[]
  /** Whether the statement `t` itself meets it. */
  readonly test: (t: string) => string
}

interface Query {
  readonly conditions: readonly Condition[]
  /** SQL of the game. */
  readonly game: string
  readonly learner: string | undefined
  readonly range: Range
  /** Keys of the first filter, by which statements are found that refer to others. */
  readonly terms: readonly string[]
}

/**
 * The text of a page; `values` gets its parameters. Whatever Postgres believes of the tables, each way runs along one
 * index in the order of `stored`, and stops at its own limits before anything is joined (docs/adr/0018).
 */
export function pageText(
  values: unknown[],
  scope: PageScope,
  filter: StatementFilter,
  range: PageRange,
  bounds: PageBounds,
): string {
  const query = queryOf(values, scope, filter, range)
  const runs =
    query.learner === undefined ? (query.conditions[0]?.runs ?? [runOf(query)]) : [runOf(query, 'actor', query.learner)]
  const ways = runs.map((run) => `(${way(query, run, bounds)})`).join(' union all ')
  const stop = furthest(
    query,
    runs.map((run) => `(select r.stored from (${candidatesOf(run, query, bounds)}) r offset ${bounds.candidates - 1})`),
  )
  if (!scope.everything) return page(query, bounds, ways, `select ${stop}`, { oneWay: runs.length === 1 })
  // Only games whose next candidates are the nearest of all can have a statement in the page.
  const { rows } = bounds
  const games = `game_with as materialized (
      select g.id, n.next from game g cross join lateral (select ${seek(runs, query, bound(query))} as next) n
      where g.sandbox_of is null and n.next is not null order by n.next ${direction(query)} limit ${rows}),`
  const edge = `select ${query.range.ascending ? 'max' : 'min'}(next) as place from game_with having count(*) = ${rows}`
  const last = query.range.ascending ? 'min' : 'max'
  return page(
    query,
    bounds,
    `select a.* from game_with g cross join lateral (${ways}) a`,
    `select ${last}(place) from (${edge} union all select ${stop} from game_with g) e`,
    { before: games },
  )
}

/** As pageText(), for statements that several filters have in common: seeks in turn, so that the rarest filter bounds the work. */
export function intersectionText(
  values: unknown[],
  scope: PageScope,
  filter: StatementFilter,
  range: PageRange,
  bounds: PageBounds,
): string {
  const query = queryOf(values, scope, filter, range)
  const lists = [
    ...(query.learner === undefined ? [] : [[runOf(query, 'actor', query.learner)]]),
    ...query.conditions.map(({ runs }) => runs),
  ]
  const [back, on] = query.range.ascending ? ['-', '+'] : ['+', '-']
  const seeks = lists.map(
    (runs, n) =>
      `cross join lateral (select ${seek(runs, query, n === 0 ? 's.place' : `n${n - 1}.next`)} as next) n${n}`,
  )
  const [first, last] = ['n0.next', `n${lists.length - 1}.next`]
  const steps = `step (place, hit, n) as (
      select ${bound(query)}::bigint, null::bigint, 0
      union all
      select case when ${first} = ${last} then ${last} ${on} 1 else ${last} end, case when ${first} = ${last} then ${last} end, s.n + 1
      from step s ${seeks.join(' ')} where s.n < ${bounds.candidates} and ${last} is not null),`
  const hits = `select s.stored, s.body from step p cross join lateral (${statementAt(query.game, 'p.hit')}) s
    where p.hit is not null and ${fits(query)} limit ${bounds.rows}`
  return page(query, bounds, hits, `select place ${back} 1 from step where n = ${bounds.candidates}`, {
    before: steps,
    oneWay: true,
  })
}

/** How many filters there are, a launch token's learner included. */
export function filtersOf({ actor }: PageScope, { agent, verb, activity, registration }: StatementFilter): number {
  return [actor, agent, verb, activity, registration].filter((key) => key !== undefined).length
}

/**
 * Candidates of the ways become a page: one row for each statement up to the bounds, which the caller has to sort.
 * @param stop a query of the place beyond which nothing was looked at; asked only when the page is not full
 */
function page(
  query: Query,
  { rows, bytes }: PageBounds,
  ways: string,
  stop: string,
  { before = '', oneWay = false } = {},
): string {
  const end = direction(query)
  const once = oneWay
    ? ways
    : `select distinct on (stored) stored, body from (${ways}) w order by stored ${end} limit ${rows}`
  // octet_length() needs no detoasting: bodies beyond the bound are never read
  return `with recursive ${before} found as materialized (${once})
    select c.current, w.through, e.stop, s.stored, s.body
    from ${currentCredential}
    cross join (select (${query.game === 'g.id' ? newestOfAll : newestOf(query.game)}) as through) w
    cross join (select case when (select count(*) from found) < ${rows} then (${stop}) end as stop) e
    left join lateral (
      select f.stored, f.body from (
        select stored, body, sum(octet_length(body)) over (order by stored ${end} rows unbounded preceding) - octet_length(body) as before from found) f
      where f.before < ${bytes}) s on c.current`
}

/** Statements of one run that fit. */
function way(query: Query, run: Run, bounds: PageBounds): string {
  const candidates = candidatesOf(run, query, bounds)
  const statements =
    run.table === 'statement'
      ? `(${candidates}) s`
      : `(${candidates}) p cross join lateral (${statementAt(query.game, 'p.stored')}) s`
  return `select s.stored, s.body from ${statements} where ${fits(query)} limit ${bounds.rows}`
}

/** What is looked at in one run, each statement once. */
function candidatesOf(run: Run, query: Query, { candidates }: PageBounds): string {
  if (run.table === 'statement')
    return `select r.* from statement r where ${alongRun(run, query.range)} limit ${candidates}`
  const [where, order] = alongRun(run, query.range).split('order by')
  return `select r.stored from posting r where ${where} group by r.game, r.term, r.stored order by ${order} limit ${candidates}`
}

const statementAt = (game: string, stored: string) =>
  `select s.* from statement s where ${exactly('s', { game, stored })} limit 1`

/** Whether the statement `s` belongs into the page, given that the first filter holds for it or for something that it refers to. */
function fits({ conditions, learner, terms }: Query): string {
  const own = `not s.voided${learner === undefined ? '' : ` and s.actor = ${learner}`}`
  if (conditions.length === 0 || (conditions.length === 1 && learner === undefined)) return own
  const all = (t: string) => conditions.map(({ test }) => test(t)).join(' and ')
  // `offset 0`: one look into the index for each, never a hash of all
  const referred = `exists (
    select from posting o cross join lateral (select t.* from statement t where ${exactly('t', { game: 'o.game', stored: 'o.target' })} limit 1) t
    where o.game = s.game and o.term = any (array[${terms.join(', ')}]) and o.stored = s.stored and o.target <> s.stored and ${all('t')} offset 0)`
  return `${own} and (${all('s')} or s.target is not null and ${referred})`
}

/** The next place of any of the runs, from a place on. */
function seek(runs: readonly Run[], query: Query, from: string): string {
  const { range } = query
  const near = range.ascending ? { ...range, after: `${from} - 1` } : { ...range, until: from }
  const looks = runs.map((run) => `(select r.stored from ${run.table} r where ${alongRun(run, near)} limit 1)`)
  return `${range.ascending ? 'least' : 'greatest'}(${looks.join(', ')})`
}

/** Of places at which ways stopped, the one that comes first. */
const furthest = ({ range }: Query, places: readonly string[]) =>
  `${range.ascending ? 'least' : 'greatest'}(${places.join(', ')})`

/** Where a page begins, as a place that is part of it. */
const bound = ({ range }: Query) => (range.ascending ? `${range.after} + 1` : range.until)

const direction = ({ range }: Query) => (range.ascending ? 'asc' : 'desc')

const alongRun = ({ columns, when }: Run, range: Range) =>
  `${when ? `${when} and ` : ''}${along('r', columns, 'stored', range)}`

/** `is not null` lets Postgres use the indexes that leave out rows without a value. */
function runOf({ game }: Pick<Query, 'game'>, column?: string, key = ''): Run {
  return column === undefined
    ? { table: 'statement', columns: { game } }
    : { table: 'statement', columns: { game, [column]: key }, when: `r.${column} is not null` }
}

/** The filters with their runs, the one that selects best first. */
function queryOf(
  values: unknown[],
  scope: PageScope,
  filter: StatementFilter,
  { after, until, ascending }: PageRange,
): Query {
  const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`
  const game = scope.everything ? 'g.id' : add(scope.game, 'int')
  const conditions: Condition[] = []
  const terms: string[] = []
  const condition = (
    column: string,
    key: string | undefined,
    related: string | undefined,
    hasOwnTerms: boolean,
    authority?: string,
  ): void => {
    if (key === undefined) return
    const keys = [key, related].filter((term) => term !== undefined).map((term) => add(term, 'uuid'))
    const runs: Run[] = [
      runOf({ game }, column, keys[0]),
      ...keys.map((term): Run => ({ table: 'posting', columns: { game, term } })),
    ]
    const tests = (t: string) => [
      `${t}.${column} is not distinct from ${keys[0]}`,
      ...(hasOwnTerms ? [`coalesce(${t}.terms && array[${keys.join(', ')}], false)`] : []),
    ]
    if (authority === undefined) conditions.push({ runs, test: (t) => `(${tests(t).join(' or ')})` })
    else {
      const senders = `select c.id from credential c where c.game = ${game} and c.authority = ${add(authority, 'text')}`
      const sent: Run = { ...runOf({ game }), when: `exists (${senders})` }
      conditions.push({
        runs: [...runs, sent],
        test: (t) => `(${[...tests(t), `${t}.credential = any (array(${senders}))`].join(' or ')})`,
      })
    }
    if (terms.length === 0) terms.push(...keys)
  }
  condition('actor', filter.agent, filter.relatedAgent, true, filter.authority)
  condition('registration', filter.registration, undefined, false)
  condition('activity', filter.activity, filter.relatedActivity, filter.relatedActivity !== undefined)
  condition('verb', filter.verb, undefined, false)
  return {
    game,
    conditions,
    terms,
    learner: scope.actor === undefined ? undefined : add(scope.actor, 'uuid'),
    range: {
      after: add(after ?? everything.after, 'bigint'),
      until: add(until ?? everything.until, 'bigint'),
      ascending,
    },
  }
}
