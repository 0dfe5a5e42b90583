import type { Key } from '../../../records/xapi/identify.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'
import type { Run } from './folds/counter.ts'
import type { RemovedStatement } from '../../../records/store/cell/counting.ts'
import { forgetSeen } from './learners-seen.ts'

const hold = { name: 'expiry_hold_seen', text: 'select stored from learner_cursor where game = $1 for update' }
/** The first statement of a learner that stays. */
const first = { ...everything, ascending: true }
const ofLearner = { game: '$1', actor: 'r.actor' }
const takeOff = {
  name: 'expiry_seen',
  text: `with
    removed as (
      select actor, registration, count(*) as n, min(stored) as first, max(stored) as last
      from unnest($2::bigint[], $3::uuid[], $4::uuid[]) r (stored, actor, registration) group by actor, registration),
    gone as (
      delete from seen_session s using removed r
      where s.game = $1 and s.registration = r.registration and s.actor = r.actor and s.statements <= r.n
      returning s.actor),
    shorter as (
      update seen_session s set statements = s.statements - r.n from removed r
      where s.game = $1 and s.registration = r.registration and s.actor = r.actor and s.statements > r.n)
    update learner_seen l set statements = l.statements - r.n,
      first = case when r.first < f.stored then greatest(l.first, least(f.stored, r.last + 1)) else l.first end,
      sessions = l.sessions - (select count(*) from gone g where g.actor = r.actor)
    from (
      select actor, sum(n) as n, min(first) as first, max(last) as last from removed group by actor) r
    left join lateral (
      select o.stored from statement o where ${along('o', ofLearner, 'stored', first)} and o.stored <> all ($2::bigint[])
      ${orderAlong('o', ofLearner, 'stored', first)} limit 1) f on true
    where l.game = $1 and l.actor = r.actor returning l.actor, l.statements <= 0 as none`,
}

/** Takes removed statements off the learners of the game, as they are found; forgets those who have none left. */
export async function takeOffSeen(run: Run, game: number, removed: readonly RemovedStatement[]): Promise<void> {
  const [cursor] = await run<{ stored: string }>(hold, [game])
  const counted = removed.filter(({ stored }) => stored <= Number(cursor?.stored ?? 0))
  if (counted.length === 0) return
  const rows = await run<{ actor: Key; none: boolean }>(takeOff, [
    game,
    counted.map(({ stored }) => stored),
    counted.map(({ actor }) => actor),
    counted.map(({ registration }) => registration),
  ])
  for (const { actor, none } of rows) if (none) await forgetSeen(run, [game], actor)
}
