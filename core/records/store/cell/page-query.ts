import { currentCredential, isHere, newestOf, newestOfAll } from './current.ts'
import { along, everything, exactly, orderAlong, type Range } from '../../../process/database/look.ts'
import { conditionsOf, runOf, type Condition, type Run } from './page-conditions.ts'
import type { Parameters } from './page-parameters.ts'

/** The query of a page, as SQL. */
interface Query {
  /** The filters, the one that selects best first. */
  readonly conditions: readonly Condition[]
  /** SQL; `g.game` if the page covers all games. */
  readonly game: string
  readonly learner: string | undefined
  readonly session: string | undefined
  readonly bytes: string
  readonly range: Range
  /** SQL: which statements there are. */
  readonly visible: string
}

function queryOf(parameters: Parameters, ascending: boolean, voided = false): Query {
  const { game = 'g.game', learner, session, bytes, after, until } = parameters
  return {
    conditions: conditionsOf(parameters, game),
    game,
    learner,
    session,
    bytes: bytes!,
    range: { after: after!, until: until!, ascending },
    visible: voided ? 'true' : 'not s.voided',
  }
}

/** Limits, as literals in the SQL, so that Postgres plans for them. */
export interface PageBounds {
  /** Most statements in the page. */
  readonly rows: number
  /** Most index rows that one way reads, or most steps of an intersection. */
  readonly candidates: number
  /** Most games that a page of all games reads. */
  readonly games: number
}

/** Everything that the SQL of a page depends on; no values. */
export interface PageShape extends PageBounds {
  readonly ascending: boolean
  readonly voided?: boolean
  readonly parameters: Parameters
}

/**
 * The columns of the answer. One row has `current`, `through` and `stop`; every other row is a statement. Rows have no
 * order. `stop`: the query read up to this position; null: to the end.
 */
export const pageFields = { current: 0, through: 1, stop: 2, stored: 3, body: 4 }

/**
 * The SQL of a page. With any planner statistics, each way reads one index in the order of `stored`, and stops at its
 * own limits before anything is joined (docs/adr/0018).
 */
export function pageText({ parameters, ascending, ...bounds }: PageShape): string {
  const query = queryOf(parameters, ascending, bounds.voided)
  const { game, learner, conditions } = query
  const runs = learner === undefined ? (conditions[0]?.runs ?? [runOf(game)]) : [runOf(game, 'actor', learner)]
  if (parameters.game === undefined) return pageOfAllGames(query, runs, bounds)
  const ways = runs.map((run) => ({ found: way(query, run, bounds), stop: stopOf(query, run, bounds) }))
  return page(query, bounds, ways)
}

/**
 * The SQL of a page of statements that match several filters. A step seeks the next position of the first filter, from
 * there the next position of the second, and so on; the rarest filter bounds the number of steps.
 */
export function intersectionText({ parameters, ascending, ...bounds }: PageShape): string {
  const query = queryOf(parameters, ascending, bounds.voided)
  const { game, learner, conditions } = query
  const lists = conditions.map(({ runs }) => runs)
  if (learner !== undefined) lists.unshift([runOf(game, 'actor', learner)])
  const [back, on] = ascending ? ['-', '+'] : ['+', '-']
  const [first, last] = ['n0.next', `n${lists.length - 1}.next`]
  const seeks = lists.map((runs, n) => {
    const from = n === 0 ? 's.place' : `n${n - 1}.next`
    return `cross join lateral (select ${seek(runs, query, from)} as next) n${n}`
  })
  const steps = `step (place, hit, n) as (
      select ${begin(query)}::bigint, null::bigint, 0
      union all
      select case when ${first} = ${last} then ${last} ${on} 1 else ${last} end,
        case when ${first} = ${last} then ${last} end, s.n + 1
      from step s ${seeks.join(' ')} where s.n < ${bounds.candidates} and ${last} is not null),`
  const found = `select s.stored, s.body from step p cross join lateral (${statementAt(game, 'p.hit')}) s
    where p.hit is not null and ${fits(query)} limit ${bounds.rows}`
  const stop = `select place ${back} 1 from step where n = ${bounds.candidates}`
  return page(query, bounds, [{ found, stop }], steps)
}

/** A query for matching statements, in the order of the page, and a query for the position up to which it read. */
interface Way {
  readonly found: string
  readonly stop: string
}

/** Combines the ways into a page that ends where the first of them stopped. @param before CTEs that the ways use */
function page(query: Query, bounds: PageBounds, ways: readonly Way[], before = ''): string {
  const names = ways.length === 1 ? ['found'] : ways.map((_, n) => `way${n}`)
  // a way that filled the page did not stop early
  const stops = ways.map(
    ({ stop }, n) => `case when (select count(*) from ${names[n]}) < ${bounds.rows} then (${stop}) end`,
  )
  const before2 = `${before} ${ways.map(({ found }, n) => `${names[n]} as materialized (${found}),`).join(' ')}
    edge as materialized (select ${nearest(query)}(${stops.join(', ')}) as stop)`
  return pageFrom(
    query,
    bounds,
    before2,
    names.length === 1 ? undefined : names.map((name) => `select * from ${name}`).join(' union all '),
  )
}

/**
 * Only the games with the nearest next candidates can have a statement in the page. Each way marks its last candidate:
 * counting the candidates of each game and way would compare every pair of rows.
 */
function pageOfAllGames(query: Query, runs: readonly Run[], bounds: PageBounds): string {
  const [first, last] = query.range.ascending ? ['min', 'max'] : ['max', 'min']
  const ways = runs.map((run) => `(${markedWay(query, run, bounds)})`).join(' union all ')
  const before = `game_with as materialized (
      select g.game, n.next from tenant g cross join lateral (select ${seek(runs, query, begin(query))} as next) n
      where g.sandbox_of is null and ${isHere} and n.next is not null order by n.next ${direction(query)} limit ${bounds.games}),
    candidate as materialized (select a.* from game_with g cross join lateral (${ways}) a),
    edge as materialized (
      select ${first}(place) as stop from (
        select stored as place from candidate where ends
        union all select ${last}(next) from game_with having count(*) = ${bounds.games}) e)`
  return pageFrom(query, bounds, before, 'select stored, body from candidate where body is not null')
}

/** @param found query for matching statements, in any order; undefined: `before` has them as `found`, each once */
function pageFrom(query: Query, { rows }: PageBounds, before: string, found: string | undefined): string {
  const end = direction(query)
  const within = query.range.ascending
    ? `<= coalesce((select stop from edge), ${everything.until})`
    : '>= coalesce((select stop from edge), 0)'
  const once = `select distinct on (stored) stored, body from (${found}) w where stored ${within}
    order by stored ${end} limit ${rows}`
  // The running sum is computed only if all bodies together exceed the bound; octet_length() does not detoast. There are
  // always two statements: whether one that comes alone is the last one must be known.
  return `with recursive ${before}${found === undefined ? '' : `, found as materialized (${once})`}
    select c.current, (${query.game === 'g.game' ? newestOfAll : newestOf(query.game)}) as through,
      (select stop from edge) as stop, null as stored, null as body
    from ${currentCredential(query.session)}
    union all
    select null, null, null, stored, body from found
    where (select sum(octet_length(body)) from found) <= ${query.bytes} or (
      select count(*) < 2 or sum(octet_length(f.body)) <= ${query.bytes} from found f
      where f.stored ${query.range.ascending ? '<' : '>'} found.stored)`
}

/** Query for the statements of one run that match. */
function way(query: Query, run: Run, bounds: PageBounds): string {
  const candidates = candidatesOf(query, run, bounds)
  const statements =
    run.table === 'statement'
      ? `(${candidates}) s`
      : `(${candidates}) p cross join lateral (${statementAt(query.game, 'p.stored')}) s`
  return `select s.stored, s.body from ${statements} where ${fits(query)} limit ${bounds.rows}`
}

/** The same, and the last candidate, marked as `ends`, if the run may have more; its body is null unless it matches. */
function markedWay(query: Query, run: Run, bounds: PageBounds): string {
  const numbered = `select r.*, row_number() over () as n from (${candidatesOf(query, run, bounds)}) r`
  const statements =
    run.table === 'statement'
      ? `(${numbered}) s`
      : `(${numbered}) p cross join lateral (select s.*, p.n from (${statementAt(query.game, 'p.stored')}) s) s`
  return `select m.stored, case when m.fits then m.body end as body, m.n = ${bounds.candidates} as ends from (
      select s.stored, s.body, s.n, ${fits(query)} as fits from ${statements}) m
    where m.fits or m.n = ${bounds.candidates} limit ${bounds.rows}`
}

/** Query for the candidates of one run, each statement once. */
function candidatesOf({ range }: Query, { table, columns, when = 'true' }: Run, { candidates }: PageBounds): string {
  const rows = `from ${table} r where ${when} and ${along('r', columns, 'stored', range)}`
  const order = orderAlong('r', columns, 'stored', range)
  if (table === 'statement') return `select r.* ${rows} ${order} limit ${candidates}`
  return `select r.stored ${rows} group by r.game, r.term, r.stored ${order} limit ${candidates}`
}

/** Query for the position of the last candidate of a run that may have more. */
const stopOf = (query: Query, run: Run, bounds: PageBounds) =>
  `select r.stored from (${candidatesOf(query, run, bounds)}) r offset ${bounds.candidates - 1}`

const statementAt = (game: string, stored: string) =>
  `select s.* from statement s where ${exactly('s', { game, stored })} limit 1`

/** Whether the statement `s` belongs to the page, given that it comes from a run of the first filter. */
function fits({ conditions, learner, visible }: Query): string {
  const own = `${visible}${learner === undefined ? '' : ` and s.actor = ${learner}`}`
  const [first] = conditions
  if (first === undefined || (conditions.length === 1 && learner === undefined && first.isExact)) return own
  const all = (alias: string) => conditions.map(({ test }) => test(alias)).join(' and ')
  const referred = exactly('t', { game: 'o.game', stored: 'o.target' })
  // `offset 0` forces one index lookup for each row, never a hash of all rows
  return `${own} and (${all('s')} or s.target is not null and exists (
    select from posting o cross join lateral (select t.* from statement t where ${referred} limit 1) t
    where o.game = s.game and o.term = any (array[${first.keys.join(', ')}]) and o.stored = s.stored
      and o.target <> s.stored and ${all('t')} offset 0))`
}

/** The next position in any of the runs, at or beyond `from`. */
function seek(runs: readonly Run[], query: Query, from: string): string {
  const { range } = query
  const near: Range = range.ascending ? { ...range, after: `${from} - 1` } : { ...range, until: from }
  const looks = runs.map(({ table, columns, when = 'true' }) => {
    const where = `${when} and ${along('r', columns, 'stored', near)}`
    return `(select r.stored from ${table} r where ${where} ${orderAlong('r', columns, 'stored', near)} limit 1)`
  })
  return `${nearest(query)}(${looks.join(', ')})`
}

/** SQL function that picks the position that a page meets first. */
const nearest = ({ range }: Query) => (range.ascending ? 'least' : 'greatest')

/** The first position that a page may contain. */
const begin = ({ range }: Query) => (range.ascending ? `${range.after} + 1` : range.until)

const direction = ({ range }: Query) => (range.ascending ? 'asc' : 'desc')
