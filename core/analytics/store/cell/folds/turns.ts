import { inSlices } from '../../../../process/concurrency/slices.ts'
import { cutValueOf } from '../../../rules/cut.ts'
import { saidOf, type Said } from '../../../rules/said.ts'
import { teamKey, type Countable, type Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { parse } from '../../../../records/xapi/json.ts'
import type { Statement } from '../../../../records/xapi/types.ts'
import { along, everything, exactly, orderAlong } from '../../../../process/database/look.ts'
import { statementOf } from '../../../../records/store/cell/statement-of.ts'
import type { Clock } from '../cursors.ts'
import { furtherDays, whenIn } from './clock.ts'
import type { Run } from './counter.ts'

/** Statements and bytes of bodies that are folded at once: a learner of many of them is changed once. */
export const batchStatements = 3_000
export const batchBytes = 4 * 1024 * 1024

const buildOf = (game: string, registration: string) =>
  `select b.build from session_build b where ${exactly('b', { game, registration })} limit 1`
// A snapshot holds the order up to some position without a gap (docs/adr/0002), so no earlier row appears later.
const voiders = (id: string) => {
  const columns = { game: '$1', target: id }
  const first = { ...everything, ascending: true }
  return `select v.stored from statement v where v.voids and ${along('v', columns, 'stored', first)}
    ${orderAlong('v', columns, 'stored', first)} limit 1`
}
const voidedBefore = (id: string) => `((${voiders(id)}) < s.stored)`
const sinceCursor = { ...everything, after: '$2', ascending: true }
const own = `s.stored, s.actor, s.verb, s.activity, s.registration, s.voided, s.voids as voiding, s.body,
  coalesce((${buildOf('$1', 's.registration')}), 0) as build`
/** Bytes up to and with each statement, in the order of the index that they are read by: nothing is sorted. */
const inOrder = (key: string, size: string) => `${size} as size,
  sum(${size}) over (order by ${key} rows unbounded preceding) as bytes`
const bounded = (rows: string, key: string) =>
  `select * from (${rows}) n where bytes - size < ${batchBytes} order by ${key}`
export const nextTurns = (most: number) => ({
  name: most === batchStatements ? 'next_turns' : `next_turns_${most}`,
  // a statement whose voiding one was removed stays voided
  text: bounded(
    `select s.game, ${own}, s.voided and coalesce(${voidedBefore('s.id')}, true) as retracted,
        t.stored as "voidsStored", t.actor as "voidsActor", t.verb as "voidsVerb", t.activity as "voidsActivity",
        t.body as "voidsBody",
        ${inOrder('s.game, s.stored', '(octet_length(s.body) + coalesce(octet_length(t.body), 0))')}
      from (
        select * from statement r where ${along('r', { game: '$1' }, 'stored', sinceCursor)}
        ${orderAlong('r', { game: '$1' }, 'stored', sinceCursor)} limit ${most}) s
      left join lateral (
        select * from (${statementOf('$1', 's.target')}) v
        where s.voids and v.stored < s.stored and not v.voids and not coalesce(${voidedBefore('s.target')}, false)
      ) t on true`,
    'game, stored',
  ),
})
const again = { ...everything, after: '$3', until: '$4', ascending: true }
export const turnsAgain = {
  name: 'turns_again',
  text: bounded(
    `select s.game, ${own}, false as retracted, null as "voidsStored",
        ${inOrder('s.game, s.actor, s.stored', 'octet_length(s.body)')}
      from (
        select * from statement r where ${along('r', { game: '$1', actor: '$2' }, 'stored', again)}
        ${orderAlong('r', { game: '$1', actor: '$2' }, 'stored', again)} limit ${batchStatements}) s`,
    'game, actor, stored',
  ),
}
/** Of these statements, those that the sums of days have: they came before $3, and no voiding one did. */
export const turnsOff = {
  name: 'turns_off',
  text: `select ${own}, false as retracted, null as "voidsStored", 0 as bytes from unnest($2::bigint[]) k (stored)
    cross join lateral (
      select * from statement r where ${exactly('r', { game: '$1', stored: 'k.stored' })} limit 1) s
    where s.stored <= $3 and (not s.voided or coalesce((${voiders('s.id')}) > $3, false))`,
}

export interface TurnRow extends Omit<Turn, 'stored' | 'at' | 'day' | 'team' | 'voids' | 'cutValue' | keyof Said> {
  readonly stored: string
  readonly body: string
  readonly voidsStored: string | null
  readonly voidsActor: Key
  readonly voidsVerb: Key
  readonly voidsActivity: Key | null
  readonly voidsBody: string
  readonly bytes: string
}

/** @param counts key of the counts for which they are read */
export async function turnsOf(run: Run, counts: number, clock: Clock, rows: readonly TurnRow[]): Promise<Turn[]> {
  const { cut } = clock
  const when = whenIn(clock)
  const days = new Set<number>()
  const countable = (stored: number, plain: Key, verb: Key, activity: Key | null, body: string): Countable => {
    const statement = parse(body) as Statement
    const team = statement.actor.objectType === 'Group'
    const { at, day } = when(statement.timestamp, stored)
    days.add(day)
    const actor = team ? teamKey(plain) : plain
    const cutValue = cut === null ? undefined : cutValueOf(statement, cut)
    return {
      ...saidOf(statement, at, stored, activity !== null),
      stored,
      at,
      day,
      actor,
      team,
      verb,
      activity,
      cutValue,
    }
  }
  const turns = await inSlices(
    rows,
    ({ body, voidsBody }) => body.length + (voidsBody?.length ?? 0),
    (row): Turn => {
      const { voidsStored, registration, build, retracted, voided, voiding } = row
      const voids =
        voidsStored === null
          ? undefined
          : countable(Number(voidsStored), row.voidsActor, row.voidsVerb, row.voidsActivity, row.voidsBody)
      const own = countable(Number(row.stored), row.actor, row.verb, row.activity, row.body)
      return { ...own, registration, build, retracted, voided, voiding, voids }
    },
  )
  const further = await furtherDays(run, counts, days)
  if (further.size > 0)
    for (const turn of turns) for (const one of [turn, turn.voids]) if (one && further.has(one.day)) one.day = 0
  return turns
}
