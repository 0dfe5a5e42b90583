// Pages in hand-written SQL: how fast Postgres can be for the same rows, without the store. The first parameters are
// $1 the credential, $2 its version and $3 the game. Like the store, each query also checks the credential and reads
// the latest place of the game.

/** Which statements are wanted. */
export interface Wanted {
  /** SQL: the statement `s` matches by its own columns. */
  own: string
  /** SQL of the terms by which it also matches: its own, or those of the statement that it refers to. */
  terms: readonly string[]
  /** SQL: a further condition on the statement `t` that has the term. */
  ofTarget?: string
  ascending: boolean
  rows: number
}

/** The ways that are tried. None is the fastest for all data. */
export const ways = { plain, union, merge }

/** One WHERE with all conditions. */
function plain({ own, terms, ofTarget, ascending, rows }: Wanted): string {
  const having = terms.map(
    (term) => `or exists (
    select from posting p ${target(ofTarget)} where p.game = $3 and p.term = ${term} and p.stored = s.stored)`,
  )
  return page(
    `select s.stored, s.body from statement s where s.game = $3 and not s.voided and (${own} ${having.join(' ')})
    order by s.stored ${direction(ascending)} limit ${rows}`,
    ascending,
  )
}

/** Reads a full page by the columns and a full page by each term; then takes the first rows of all. */
function union({ own, terms, ofTarget, ascending, rows }: Wanted): string {
  const end = direction(ascending)
  const columns = `(
    select s.stored, s.body from statement s where s.game = $3 and not s.voided and ${own}
    order by s.stored ${end} limit ${rows})`
  const postings = terms.map(
    (term) => `(
    select p.stored, s.body
    from (
      select distinct on (p.stored) p.stored from posting p ${target(ofTarget)}
      where p.game = $3 and p.term = ${term} order by p.stored ${end}) p
    cross join lateral (
      select s.body from statement s where s.game = $3 and s.stored = p.stored and not s.voided offset 0) s
    order by p.stored ${end} limit ${rows})`,
  )
  if (postings.length === 0) return page(columns, ascending)
  return page(
    `select distinct on (a.stored) a.stored, a.body from (${[columns, ...postings].join(' union all ')}) a
    order by a.stored ${end} limit ${rows}`,
    ascending,
  )
}

/** Merges the places by the columns and by each term in order; then reads each body by one lookup. */
function merge({ own, terms, ofTarget, ascending, rows }: Wanted): string {
  const end = direction(ascending)
  const columns = `(select s.stored from statement s where s.game = $3 and ${own} order by s.stored ${end})`
  const postings = terms.map(
    (term) => `(
    select p.stored from posting p ${target(ofTarget)}
    where p.game = $3 and p.term = ${term} order by p.stored ${end})`,
  )
  return page(
    `select p.stored, s.body
    from (
      select distinct on (a.stored) a.stored from (${[columns, ...postings].join(' union all ')}) a
      order by a.stored ${end}) p
    cross join lateral (
      select s.body from statement s where s.game = $3 and s.stored = p.stored and not s.voided offset 0) s
    order by p.stored ${end} limit ${rows}`,
    ascending,
  )
}

/** One lookup of the statement that has the term of a posting `p`, if there is a condition on it. */
function target(ofTarget: string | undefined): string {
  return ofTarget === undefined
    ? ''
    : `
    cross join lateral (select from statement t where t.game = $3 and t.stored = p.target and ${ofTarget} offset 0) t`
}

function page(found: string, ascending: boolean): string {
  return `select c.current, w.through, s.stored, s.body
    from (select exists (select from credential where id = $1 and version = $2 and revoked is null) as current) c
    cross join (select max(stored) as through from statement where game = $3) w
    left join lateral (${found}) s on c.current
    order by s.stored ${direction(ascending)}`
}

const direction = (ascending: boolean) => (ascending ? 'asc' : 'desc')
