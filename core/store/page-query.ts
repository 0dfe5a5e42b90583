import { currentCredential, newestOf, newestOfAll } from './current.ts'
import { along, exactly, orderAlong, type Range } from './look.ts'
import { queryOf, runOf, type Query, type Run } from './page-conditions.ts'
import type { Parameters } from './page-parameters.ts'

/** Limits stand in the text of a query, so that Postgres plans for them. */
export interface PageBounds {
  /** Statements. */
  readonly rows: number
  /** Candidates of each way that are looked at: rows of an index, or steps of an intersection. */
  readonly candidates: number
}

/** What the text of a page depends on; it holds no values. */
export interface PageShape extends PageBounds {
  readonly ascending: boolean
  readonly parameters: Parameters
}

/** The columns of each row; `stop`: nothing beyond this place was looked at (null: all was). Rows come in no order. */
export const pageFields = { current: 0, through: 1, stop: 2, stored: 3, body: 4 }

/**
 * The text of a page. Whatever Postgres believes of the tables, each way runs along one index in the order of `stored`,
 * and stops at its own limits before anything is joined (docs/adr/0018).
 */
export function pageText({ parameters, ascending, ...bounds }: PageShape): string {
  const query = queryOf(parameters, ascending)
  const { game, learner, conditions } = query
  const runs = learner === undefined ? (conditions[0]?.runs ?? [runOf(game)]) : [runOf(game, 'actor', learner)]
  const ways = runs.map((run) => `(${way(query, run, bounds)})`)
  const stop = stopOf(query, runs, bounds)
  if (parameters.game !== undefined) return page(query, bounds, { ways, stop })
  // only games whose next candidates are the nearest of all can have a statement in the page
  const [first, last] = ascending ? ['min', 'max'] : ['max', 'min']
  return page(query, bounds, {
    before: `game_with as materialized (
      select g.id, n.next from game g cross join lateral (select ${seek(runs, query, begin(query))} as next) n
      where g.sandbox_of is null and n.next is not null order by n.next ${direction(query)} limit ${bounds.rows}),`,
    ways: [`select a.* from game_with g cross join lateral (${ways.join(' union all ')}) a`],
    stop: `select ${first}(place) from (
      select ${last}(next) as place from game_with having count(*) = ${bounds.rows}
      union all select (${stop}) from game_with g) e`,
  })
}

/**
 * As pageText(), for statements that several filters have in common: seeks in turn, so that the rarest filter bounds the
 * work. A step goes from its place to the next one of each filter, from that of the filter before.
 */
export function intersectionText({ parameters, ascending, ...bounds }: PageShape): string {
  const query = queryOf(parameters, ascending)
  const { game, learner, conditions } = query
  const lists = conditions.map(({ runs }) => runs)
  if (learner !== undefined) lists.unshift([runOf(game, 'actor', learner)])
  const [back, on] = ascending ? ['-', '+'] : ['+', '-']
  const [first, last] = ['n0.next', `n${lists.length - 1}.next`]
  const seeks = lists.map((runs, n) => {
    const from = n === 0 ? 's.place' : `n${n - 1}.next`
    return `cross join lateral (select ${seek(runs, query, from)} as next) n${n}`
  })
  return page(query, bounds, {
    before: `step (place, hit, n) as (
      select ${begin(query)}::bigint, null::bigint, 0
      union all
      select case when ${first} = ${last} then ${last} ${on} 1 else ${last} end,
        case when ${first} = ${last} then ${last} end, s.n + 1
      from step s ${seeks.join(' ')} where s.n < ${bounds.candidates} and ${last} is not null),`,
    ways: [
      `select s.stored, s.body from step p cross join lateral (${statementAt(game, 'p.hit')}) s
        where p.hit is not null and ${fits(query)} limit ${bounds.rows}`,
    ],
    stop: `select place ${back} 1 from step where n = ${bounds.candidates}`,
  })
}

interface Parts {
  /** Common table expressions that the ways use. */
  readonly before?: string
  /** Queries of statements that fit, each in the order of the page. */
  readonly ways: readonly string[]
  /** A query of the place beyond which nothing was looked at; asked only when the page is not full. */
  readonly stop: string
}

/** What the ways find becomes a page: one row for each statement, up to the bounds. */
function page(query: Query, { rows }: PageBounds, { before = '', ways, stop }: Parts): string {
  const end = direction(query)
  const once =
    ways.length === 1 && query.game !== 'g.id'
      ? ways[0]
      : `select distinct on (stored) stored, body from (${ways.join(' union all ')}) w order by stored ${end} limit ${rows}`
  // octet_length() needs no detoasting: bodies beyond the bound are never read
  return `with recursive ${before} found as materialized (${once})
    select c.current, w.through, e.stop, s.stored, s.body
    from ${currentCredential}
    cross join (select (${query.game === 'g.id' ? newestOfAll : newestOf(query.game)}) as through) w
    cross join (select case when (select count(*) from found) < ${rows} then (${stop}) end as stop) e
    left join lateral (
      select f.stored, f.body from (
        select stored, body, octet_length(body) as size,
          sum(octet_length(body)) over (order by stored ${end} rows unbounded preceding) as sum from found) f
      where f.sum - f.size < ${query.bytes}) s on c.current`
}

/** Statements of one run that fit. */
function way(query: Query, run: Run, bounds: PageBounds): string {
  const candidates = candidatesOf(query, run, bounds)
  const statements =
    run.table === 'statement'
      ? `(${candidates}) s`
      : `(${candidates}) p cross join lateral (${statementAt(query.game, 'p.stored')}) s`
  return `select s.stored, s.body from ${statements} where ${fits(query)} limit ${bounds.rows}`
}

/** What is looked at in one run, each statement once. */
function candidatesOf({ range }: Query, { table, columns, when = 'true' }: Run, { candidates }: PageBounds): string {
  const rows = `from ${table} r where ${when} and ${along('r', columns, 'stored', range)}`
  const order = orderAlong('r', columns, 'stored', range)
  if (table === 'statement') return `select r.* ${rows} ${order} limit ${candidates}`
  return `select r.stored ${rows} group by r.game, r.term, r.stored ${order} limit ${candidates}`
}

/** The place of the last candidate of a run that has more; of several runs the one that the page meets first. */
function stopOf(query: Query, runs: readonly Run[], bounds: PageBounds): string {
  const lasts = runs.map(
    (run) => `(select r.stored from (${candidatesOf(query, run, bounds)}) r offset ${bounds.candidates - 1})`,
  )
  return `select ${nearest(query)}(${lasts.join(', ')})`
}

const statementAt = (game: string, stored: string) =>
  `select s.* from statement s where ${exactly('s', { game, stored })} limit 1`

/** Whether the statement `s` is one of the page's, if the first filter holds for it or for what it refers to. */
function fits({ conditions, learner }: Query): string {
  const own = `not s.voided${learner === undefined ? '' : ` and s.actor = ${learner}`}`
  const [first] = conditions
  if (first === undefined || (conditions.length === 1 && learner === undefined)) return own
  const all = (alias: string) => conditions.map(({ test }) => test(alias)).join(' and ')
  const referred = exactly('t', { game: 'o.game', stored: 'o.target' })
  // `offset 0`: one look into the index for each, never a hash of all
  return `${own} and (${all('s')} or s.target is not null and exists (
    select from posting o cross join lateral (select t.* from statement t where ${referred} limit 1) t
    where o.game = s.game and o.term = any (array[${first.keys.join(', ')}]) and o.stored = s.stored
      and o.target <> s.stored and ${all('t')} offset 0))`
}

/** The next place of any of the runs, from a place on. */
function seek(runs: readonly Run[], query: Query, from: string): string {
  const { range } = query
  const near: Range = range.ascending ? { ...range, after: `${from} - 1` } : { ...range, until: from }
  const looks = runs.map(({ table, columns, when = 'true' }) => {
    const where = `${when} and ${along('r', columns, 'stored', near)}`
    return `(select r.stored from ${table} r where ${where} ${orderAlong('r', columns, 'stored', near)} limit 1)`
  })
  return `${nearest(query)}(${looks.join(', ')})`
}

/** Of several places the one that a page meets first. */
const nearest = ({ range }: Query) => (range.ascending ? 'least' : 'greatest')

/** Where a page begins, as a place that is part of it. */
const begin = ({ range }: Query) => (range.ascending ? `${range.after} + 1` : range.until)

const direction = ({ range }: Query) => (range.ascending ? 'asc' : 'desc')
