import type { Key } from '../../../records/xapi/identify.ts'
import type { Run } from './folds/counter.ts'
import type { RemovedStatement } from '../../../records/store/cell/counting.ts'
import { forgetSeen } from './learners-seen.ts'
import { seeAgain } from './seen-again.ts'

const hold = { name: 'expiry_hold_seen', text: 'select stored from learner_cursor where game = $1 for update' }
const takeOff = {
  name: 'expiry_seen',
  text: `with
    removed as (
      select actor, registration, count(*) as n from unnest($2::uuid[], $3::uuid[]) r (actor, registration)
      group by actor, registration),
    gone as (
      delete from seen_session s using removed r
      where s.game = $1 and s.registration = r.registration and s.actor = r.actor and s.statements <= r.n
      returning s.actor),
    shorter as (
      update seen_session s set statements = s.statements - r.n from removed r
      where s.game = $1 and s.registration = r.registration and s.actor = r.actor and s.statements > r.n)
    update learner_seen l set statements = l.statements - r.n,
      sessions = l.sessions - (select count(*) from gone g where g.actor = r.actor)
    from (select actor, sum(n) as n from removed group by actor) r
    where l.game = $1 and l.actor = r.actor returning l.actor, l.statements <= 0 as none`,
}

/**
 * Takes removed statements off the learners of the game, as they are found; forgets those who have none left. The others
 * are made again: names, words and times may be of statements that are gone.
 */
export async function takeOffSeen(run: Run, game: number, removed: readonly RemovedStatement[]): Promise<void> {
  const [cursor] = await run<{ stored: string }>(hold, [game])
  const counted = removed.filter(({ stored }) => stored <= Number(cursor?.stored ?? 0))
  if (counted.length === 0) return
  const rows = await run<{ actor: Key; none: boolean }>(takeOff, [
    game,
    counted.map(({ actor }) => actor),
    counted.map(({ registration }) => registration),
  ])
  for (const { actor, none } of rows) if (none) await forgetSeen(run, [game], actor)
  const left = rows.filter(({ none }) => !none)
  if (left.length > 0)
    await seeAgain(
      run,
      game,
      left.map(({ actor }) => actor),
    )
}
