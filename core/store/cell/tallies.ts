import { scoreBins, tally, type Countable, type Turn } from '../../studio/tally.ts'
import type { Database } from '../database.ts'
import { along, everything, orderAlong } from '../look.ts'
import { statementOf } from './statement-of.ts'

/** Statements and bytes of bodies that are folded at once: parsing them must not keep other calls waiting. */
const batchStatements = 500
const batchBytes = 1024 * 1024

const addCursor = { name: 'add_cursor', text: 'insert into tally_cursor (game) values ($1) on conflict do nothing' }
const lockCursor = {
  name: 'lock_cursor',
  text: 'select stored from tally_cursor where game = $1 for update skip locked',
}

// A snapshot holds the order up to some position without a gap (docs/adr/0002), so no earlier row appears later.
const voiders = (id: string) => {
  const columns = { game: '$1', target: id }
  const first = { ...everything, ascending: true }
  return `select v.stored from statement v where v.voids and ${along('v', columns, 'stored', first)}
    ${orderAlong('v', columns, 'stored', first)} limit 1`
}
const voidedBefore = (id: string) => `((${voiders(id)}) < s.stored)`
const sinceCursor = { ...everything, after: '$2', ascending: true }
const nextTurns = {
  name: 'next_turns',
  text: `select * from (
      select s.stored, s.actor, s.verb, s.activity, s.registration, s.body,
        s.voided and ${voidedBefore('s.id')} as retracted,
        t.stored as "voidsStored", t.verb as "voidsVerb", t.activity as "voidsActivity", t.body as "voidsBody",
        sum(size) over (order by s.stored) as bytes, size
      from (
        select * from statement r where ${along('r', { game: '$1' }, 'stored', sinceCursor)}
        ${orderAlong('r', { game: '$1' }, 'stored', sinceCursor)} limit ${batchStatements}) s
      left join lateral (${statementOf('$1', 's.target')}) t
        on s.voids and t.stored < s.stored and not t.voids and not coalesce(${voidedBefore('s.target')}, false)
      cross join lateral (select octet_length(s.body) + coalesce(octet_length(t.body), 0) as size) z
    ) n where bytes - size < ${batchBytes} order by stored`,
}

const added = (table: string, columns: string[]) =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
const addedBins = Array.from({ length: scoreBins }, (_, n) => `a.scores[${n + 1}] + excluded.scores[${n + 1}]`).join(
  ', ',
)
const addTallies = {
  name: 'add_tallies',
  text: `with
    verbs as (
      insert into verb_tally as v (game, day, verb, statements)
      select $1, * from unnest($3::date[], $4::uuid[], $5::bigint[])
      on conflict (game, day, verb) do update set ${added('v', ['statements'])}),
    activities as (
      insert into activity_tally as a (game, day, activity, completions, passed, failed, score_sum, scores)
      select $1, day, activity, completions, passed, failed, score_sum, scores::bigint[]
      from unnest($6::date[], $7::uuid[], $8::bigint[], $9::bigint[], $10::bigint[], $11::float8[], $12::text[])
        n (day, activity, completions, passed, failed, score_sum, scores)
      on conflict (game, day, activity) do update set
        ${added('a', ['completions', 'passed', 'failed', 'score_sum'])}, scores = array[${addedBins}]),
    learners as (
      insert into learner_day (game, day, actor)
      select $1, * from unnest($13::date[], $14::uuid[]) on conflict do nothing),
    sessions as (
      insert into session_day (game, day, registration)
      select $1, * from unnest($15::date[], $16::uuid[]) on conflict do nothing),
    names as (
      insert into tally_name as k (game, key, iri, name) select $1, * from unnest($17::uuid[], $18::text[], $19::text[])
      on conflict (game, key) do update set name = excluded.name where excluded.name not in ('', k.name))
    update tally_cursor set stored = $2 where game = $1`,
}

interface TurnRow extends Omit<Turn, 'stored' | 'voids'> {
  readonly stored: string
  readonly voidsStored: string | null
  readonly voidsVerb: string
  readonly voidsActivity: string | null
  readonly voidsBody: string
  readonly bytes: string
}

/** Tallies of the statements of each game, folded step by step. */
export function tallyStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Folds the next statements; counts and cursor change in one transaction. 'busy': another one holds the cursor. */
    fold: async (game: number): Promise<'more' | 'done' | 'busy'> =>
      transaction(async (run) => {
        const [cursor] = await run<{ stored: string }>(lockCursor, [game])
        if (!cursor) return 'busy'
        const rows = await run<TurnRow>(nextTurns, [game, cursor.stored])
        if (rows.length === 0) return 'done'
        await run(addTallies, valuesOf(game, rows))
        return rows.length < batchStatements && Number(rows.at(-1)!.bytes) < batchBytes ? 'done' : 'more'
      }),

    /** Adds the game's cursor, which `fold` needs. */
    begin: async (game: number): Promise<void> => void (await run(addCursor, [game])),
  }
}

export type TallyStore = ReturnType<typeof tallyStore>

function valuesOf(game: number, rows: readonly TurnRow[]): unknown[] {
  const { verbs, activities, learners, sessions, names } = tally(rows.map(turnOf))
  return [
    game,
    rows.at(-1)!.stored,
    ...columns(verbs, 'day', 'verb', 'statements'),
    ...columns(activities, 'day', 'activity', 'completions', 'passed', 'failed', 'scoreSum'),
    activities.map(({ scores }) => `{${scores.join()}}`),
    ...columns(learners, 'day', 'actor'),
    ...columns(sessions, 'day', 'registration'),
    ...columns(names, 'key', 'iri', 'name'),
  ]
}

function turnOf({ stored, voidsStored, voidsVerb, voidsActivity, voidsBody, ...turn }: TurnRow): Turn {
  const voids: Countable | undefined =
    voidsStored === null
      ? undefined
      : { stored: Number(voidsStored), verb: voidsVerb, activity: voidsActivity, body: voidsBody }
  return { ...turn, stored: Number(stored), voids }
}

const columns = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]))
