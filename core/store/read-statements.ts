import type { Key } from '../xapi/identify.ts'
import { currentCredential } from './current.ts'
import type { Database } from './database.ts'
import { gather, listed, patient } from './gather.ts'
import type { RawRow } from './raw-rows.ts'
import type { Watermark } from './watermark.ts'
import type { Credentialed } from './write-statements.ts'

/** Who looks: `actor` is a launch token's learner, who sees only statements of their own; `everything` reaches all games, but no sandbox. */
export interface Reader extends Credentialed {
  readonly actor?: Key
  readonly everything: boolean
}

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

/** A run of the order, in microseconds: strictly after `after`, at or before `until`; at most 500 statements. */
export interface StatementPage {
  readonly after?: number
  readonly until?: number
  readonly ascending: boolean
  readonly limit: number
  /** The page ends with the statement that passes this; 4 MiB unless told. */
  readonly bytes?: number
}

/** Limits that stand in the text of a query, so that Postgres plans for them; a page takes the next larger one. */
const limits = [2, 11, 51, 101, 501]

/** A page ends with the statement that passes this many bytes, so that one page never fills the memory. */
const pageBytes = 4 * 1024 * 1024

/** Bodies up to this many bytes are read together with others. */
const small = 64 * 1024

const byIds = {
  name: 'statements_by_id',
  text: `select c.current, w.through, s.stored, s.body, a.n
    from unnest($1::int[], $2::int[], $3::int[], $4::uuid[], $5::boolean[], $6::uuid[]) with ordinality a (credential, version, game, id, voided, actor, n)
    cross join lateral (select exists (select from credential where id = a.credential and version = a.version and revoked is null) as current) c
    cross join lateral (select max(stored) as through from statement where game = a.game) w
    left join lateral (
      select stored, case when octet_length(body) <= ${small} then body end as body
      from statement where game = a.game and id = a.id and voided = a.voided and (a.actor is null or actor = a.actor) limit 1) s on c.current`,
}
const bodiesOf = { name: 'statement_bodies', text: 'select id, stored, body from statement where game = $1 and id = any ($2)' }
const latest = {
  name: 'latest_statements',
  text: `select g.id as game, m.stored from game g cross join lateral (select max(stored) as stored from statement where game = g.id) m
    where (g.id = any ($1) or $2 and g.sandbox_of is null) and m.stored is not null`,
}

export interface StoredStatement {
  readonly stored: number
  readonly body: Buffer
}

export interface Found {
  readonly statements: StoredStatement[]
  /** Microseconds: everything stored at or before is visible. */
  readonly consistentThrough: number
}

interface Wanted {
  readonly game: number
  readonly reader: Reader
  readonly id: string
  readonly voided: boolean
}

/** The fields that each row of a look at statements begins with. */
const fields = { current: 0, through: 1, stored: 2, body: 3, asked: 4 }
const yes = 't'.charCodeAt(0)

/**
 * Reads statements ('stale': the credential has changed since it was looked up): one round trip for a page, the latest
 * place in its game and the check of the credential, all of one snapshot.
 */
export function statementReader(database: Database, watermark: Watermark) {
  async function read(source: (values: unknown[], reader: Reader) => string, reader: Reader, order = ''): Promise<Found | 'stale'> {
    const values: unknown[] = [reader.credential, reader.credentialVersion]
    const through = reader.everything
      ? 'select max(m.stored) from game g cross join lateral (select max(stored) as stored from statement where game = g.id) m'
      : `select max(stored) from statement where game = ${add(values, reader.game)}`
    const text = `select c.current, w.through, s.stored, s.body
      from ${currentCredential}
      cross join (select (${through}) as through) w
      left join lateral (${source(values, reader)}) s on c.current ${order}`
    const known = await watermark.read()
    const rows = await database.rows({ name: nameOf(text), text }, values)
    return foundIn(rows, known)
  }

  function oneById({ reader, id, voided }: Wanted): Promise<Found | 'stale'> {
    return read((values) => {
      const own = reader.actor ? `and s.actor = ${add(values, reader.actor)}` : ''
      const game = reader.everything ? 's.game in (select id from game where sandbox_of is null)' : `s.game = ${add(values, reader.game)}`
      return `select s.stored, s.body from statement s
        where ${game} and s.id = ${add(values, id)} and s.voided = ${add(values, voided)} ${own} order by s.stored limit 1`
    }, reader)
  }

  async function byIdTogether(all: readonly Wanted[]): Promise<(Found | 'stale' | Promise<Found | 'stale'>)[]> {
    if (all.length === 1) return [await oneById(all[0]!)]
    const known = await watermark.read()
    const rows = await database.rows(byIds, [
      listed(all, ({ reader }) => reader.credential),
      listed(all, ({ reader }) => reader.credentialVersion),
      listed(all, ({ game }) => game),
      listed(all, ({ id }) => id),
      listed(all, ({ voided }) => voided),
      listed(all, ({ reader }) => reader.actor ?? 'NULL'),
    ])
    const found: (Found | 'stale' | Promise<Found | 'stale'>)[] = []
    for (const row of rows) {
      const index = row.number(fields.asked)! - 1
      const large = row.number(fields.stored) !== null && row.bytes(fields.body) === null
      found[index] = large ? byIdAlone(all[index]!) : foundIn([row], known)
    }
    return found
  }

  const byIdAlone = gather(byIdTogether, { ...patient, most: 1, atOnce: 2 }).ask
  const byIdGathered = gather(byIdTogether, { ...patient, most: 64, atOnce: 1 }).ask

  return {
    /** The statement of this id, voided or not as asked for; read together with others that are asked for at the same time. */
    byId: (reader: Reader, id: string, voided: boolean): Promise<Found | 'stale'> =>
      (reader.everything ? byIdAlone : byIdGathered)({ game: reader.game, reader, id, voided }),

    /** A page, in order; `more` when statements follow it. */
    async page(reader: Reader, filter: StatementFilter, page: StatementPage): Promise<(Found & { more: boolean }) | 'stale'> {
      const limit = limits.find((limit) => limit > page.limit)!
      const order = `order by s.stored ${page.ascending ? '' : 'desc'}`
      const found = await read((values) => pageQuery(values, reader, filter, { ...page, limit }), reader, order)
      if (found === 'stale') return found
      const statements = found.statements.slice(0, page.limit)
      const bytes = found.statements.reduce((sum, { body }) => sum + body.length, 0)
      return { ...found, statements, more: found.statements.length > page.limit || bytes >= (page.bytes ?? pageBytes) }
    },

    /** Statements of a game by their ids, voided or not; those that there are. */
    async bodies(game: number, ids: readonly string[]): Promise<{ id: string; stored: number; body: string }[]> {
      const rows = await database.run<{ id: string; stored: string; body: string }>(bodiesOf, [game, ids])
      return rows.map(({ id, stored, body }) => ({ id, stored: Number(stored), body }))
    },

    /** The place of the last statement of each of these games, and with `all` of every game that is no sandbox. */
    async latest(games: readonly number[], all: boolean): Promise<Map<number, number>> {
      const rows = await database.run<{ game: number; stored: string }>(latest, [games, all])
      return new Map(rows.map(({ game, stored }) => [game, Number(stored)]))
    },
  }
}

function foundIn(rows: readonly RawRow[], known: number): Found | 'stale' {
  const [first] = rows
  if (first!.bytes(fields.current)![0] !== yes) return 'stale'
  const statements: StoredStatement[] = []
  for (const row of rows) {
    const stored = row.number(fields.stored)
    if (stored !== null) statements.push({ stored, body: row.bytes(fields.body)! })
  }
  return { statements, consistentThrough: Math.max(known, first!.number(fields.through) ?? 0) }
}

/**
 * Two ways lead to a statement: its own columns, and postings (group members, related terms, statements that it refers
 * to). Either way all filters hold for one and the same statement `t`, while time, reader and voiding are those of `s`.
 * Each way runs along an index in the order of `stored` and stops at the limit.
 */
function pageQuery(values: unknown[], reader: Reader, filter: StatementFilter, page: StatementPage): string {
  const end = `${page.ascending ? '' : 'desc'} limit ${page.limit}`
  const game = reader.everything ? 'g.id' : add(values, reader.game)
  const learner = reader.actor && add(values, reader.actor)
  const after = page.after !== undefined && add(values, page.after)
  const until = page.until !== undefined && add(values, page.until)
  const range = (at: string) => (after ? ` and ${at} > ${after}::bigint` : '') + (until ? ` and ${at} <= ${until}::bigint` : '')
  const own = (alias: string) => (learner ? ` and ${alias}.actor = ${learner}::uuid` : '')

  const conditions = conditionsOf(values, filter)
  const [driving, ...others] = conditions
  const also = (tests: Condition[]) => tests.map(({ test }) => ` and ${test}`).join('')
  const byColumn = (test: string, tests: Condition[]) =>
    `(select t.stored from statement t where ${test} t.game = ${game} and not t.voided${also(tests)}${range('t.stored')} order by t.stored ${end})`
  // A launch token's learner selects better than anything else that may be asked for.
  const ways = [learner ? byColumn(`t.actor = ${learner}::uuid and`, conditions) : byColumn(driving ? `${driving.column} and` : '', others)]
  for (const term of driving?.terms ?? []) {
    ways.push(`(select p.stored from posting p
      join statement t on t.game = p.game and t.stored = p.target
      join statement s on s.game = p.game and s.stored = p.stored
      where p.game = ${game} and p.term = ${term} and not s.voided${also(others)}${own('s')}${range('p.stored')} order by p.stored ${end})`)
  }
  if (filter.authority !== undefined) {
    // Asked only where there is such a credential: otherwise the whole game would be searched for nothing.
    const sender = `(select id from credential where authority = ${add(values, filter.authority)} and game = ${game})`
    ways.push(byColumn(`exists ${sender} and t.credential in ${sender}${own('t')} and`, others))
  }
  const places = ways.length === 1 ? ways[0]! : `(select stored from (${ways.join(' union ')}) w order by stored ${end})`
  const bodies = `select s.stored, s.body from ${places} w join statement s on s.game = ${game} and s.stored = w.stored`
  const found = reader.everything ? `select w.stored, w.body from game g cross join lateral (${bodies}) w where g.sandbox_of is null order by w.stored ${end}` : bodies
  // octet_length() needs no detoasting: bodies beyond the bound are never read.
  const sized = `select f.stored, f.body, sum(octet_length(f.body)) over (order by f.stored ${page.ascending ? '' : 'desc'}) - octet_length(f.body) as before`
  return `select p.stored, p.body from (${sized} from (${found}) f) p where p.before < ${page.bytes ?? pageBytes}`
}

interface Condition {
  /** The test on a column of `t`, which an index serves in order. */
  readonly column: string
  /** The whole test on `t`, its own postings included. */
  readonly test: string
  /** Terms in postings that lead to further matches. */
  readonly terms: string[]
}

/** The conditions on the statement `t`, the one that selects best first. */
function conditionsOf(values: unknown[], filter: StatementFilter): Condition[] {
  const condition = (name: string, key: string | undefined, related: string | undefined, hasOwnPostings: boolean): Condition[] => {
    if (key === undefined) return []
    const terms = [key, related].filter((term) => term !== undefined).map((term) => `${add(values, term)}::uuid`)
    const column = `t.${name} = ${terms[0]}`
    if (!hasOwnPostings) return [{ column, test: column, terms }]
    const posted = `exists (select from posting o where o.game = t.game and o.target = t.stored and o.stored = t.stored and o.term in (${terms.join(', ')}))`
    return [{ column, test: `(${column} or ${posted})`, terms }]
  }
  return [
    ...condition('actor', filter.agent, filter.relatedAgent, true),
    ...condition('registration', filter.registration, undefined, false),
    ...condition('activity', filter.activity, filter.relatedActivity, filter.relatedActivity !== undefined),
    ...condition('verb', filter.verb, undefined, false),
  ]
}

function add(values: unknown[], value: unknown): string {
  values.push(value)
  return `$${values.length}`
}

const names = new Map<string, string>()

/** One prepared query for each shape: the texts hold no values, so there are few of them. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) names.set(text, (name = `read_${names.size + 1}`))
  return name
}
