import { formerKeys, type FormerKeys } from '../../rules/former-key.ts'
import { happenedAt } from '../../rules/when.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { parse } from '../../../records/xapi/json.ts'
import type { Statement } from '../../../records/xapi/types.ts'
import type { Database } from '../../../process/database/database.ts'
import { exactly } from '../../../process/database/look.ts'
import { holdCursor } from './cursors.ts'
import { daysIn } from './folds/clock.ts'
import type { Run } from './folds/counter.ts'

const atOnce = 5_000
const dayMicros = 86_400_000_000
const last = 2_147_483_647

const removed = {
  name: 'former_removed',
  text: `select s.stored::float8 as stored, s.actor, s.body from unnest($2::bigint[]) n (stored)
    cross join lateral (select * from statement r where ${exactly('r', { game: '$1', stored: 'n.stored' })} limit 1) s
    where not s.voided and not s.voids`,
}
const add = {
  name: 'former_add',
  text: `insert into former_learner as f (game, learner, first_day, last_day)
    select $1, * from unnest($2::uuid[], $3::int[], $4::int[])
    on conflict (game, learner) do update set first_day = least(f.first_day, excluded.first_day),
      last_day = greatest(f.last_day, excluded.last_day)`,
}
const find = {
  name: 'former_find',
  text: `select k.actor, f.first_day as day from unnest($2::uuid[], $3::uuid[]) k (actor, learner)
    cross join lateral (
      select f.first_day from former_learner f where ${exactly('f', { game: '$1', learner: 'k.learner' })} limit 1) f`,
}
const games = {
  name: 'former_games',
  text: `select t.game from tenant t where ($1::int[] is null or t.game = any ($1))
    and exists (select from former_learner f where f.game = t.game)`,
}
const gamesOf = {
  name: 'former_games_of',
  text: `select distinct f.game from former_learner f join unnest($1::int[], $2::uuid[]) k (game, learner)
    on f.game = k.game and f.learner = k.learner`,
}
const erase = {
  name: 'former_erase',
  text: `delete from former_learner f using unnest($1::int[], $2::uuid[]) k (game, learner)
    where f.game = k.game and f.learner = k.learner`,
}
const anyBefore = {
  name: 'former_any_before',
  text: 'select exists (select from former_learner where game = $1 and last_day < $2) as found',
}
const keep = {
  name: 'former_keep',
  text: `update former_learner f set last_day = $3 from unnest($2::uuid[]) k (learner)
    where f.game = $1 and f.learner = k.learner and f.last_day < $3`,
}
const forget = {
  name: 'former_forget',
  text: `delete from former_learner where ctid = any (array(
    select ctid from former_learner where game = $1 and last_day < $2 limit ${atOnce})) returning 1`,
}

/** Learners of whom retention has removed statements: their keyed hashes, so that who returns is not new. */
export function formerLearners(keysOf: FormerKeys = formerKeys([])) {
  /** Games and hashes under which a learner may be known. */
  async function placesOf(run: Run, learner: Key, only: readonly number[] | undefined): Promise<unknown[][]> {
    const known = await run<{ game: number }>(games, [only ?? null])
    const pairs = known.flatMap(({ game }) => keysOf(game, learner).map((key) => ({ game, key })))
    return [pairs.map(({ game }) => game), pairs.map(({ key }) => key)]
  }

  return {
    /** Keeps the hashes of the people whose statements these are, before they are removed. @param places `stored` of each */
    async remember(run: Run, game: number, places: readonly number[]): Promise<void> {
      const cursor = await holdCursor(run, game)
      if (!cursor) return
      const { zone, start } = cursor.wanted
      const dayOf = daysIn(zone)
      const rows = await run<{ stored: number; actor: Key; body: string }>(removed, [game, places])
      const people = new Map<Key, { first: number; last: number }>()
      for (const { stored, actor, body } of rows) {
        const statement = parse(body) as Statement
        const [learner] = keysOf(game, actor)
        if (learner === undefined || statement.actor.objectType === 'Group') continue
        const first = dayOf(happenedAt(statement.timestamp, stored, start))
        const known = people.get(learner) ?? { first, last: 0 }
        const last = Math.max(known.last, Math.floor(stored / dayMicros))
        people.set(learner, { first: Math.min(known.first, first), last })
      }
      const days = [...people.values()]
      await run(add, [game, [...people.keys()], days.map(({ first }) => first), days.map(({ last }) => last)])
    },

    /** The first days of those of these people of whom statements have expired. */
    async firstDays(run: Run, game: number, people: Iterable<Key>): Promise<ReadonlyMap<Key, number>> {
      const pairs = [...new Set(people)].flatMap((actor) => keysOf(game, actor).map((learner) => ({ actor, learner })))
      const columns = [pairs.map(({ actor }) => actor), pairs.map(({ learner }) => learner)]
      const found = new Map<Key, number>()
      for (const { actor, day } of await run<{ actor: Key; day: number }>(find, [game, ...columns]))
        found.set(actor, Math.min(day, found.get(actor) ?? day))
      return found
    },

    /** The games in which statements of a learner have expired. @param only some games; undefined: all of them */
    gamesOf: async (run: Run, learner: Key, only: readonly number[] | undefined): Promise<number[]> =>
      (await run<{ game: number }>(gamesOf, await placesOf(run, learner, only))).map(({ game }) => game),
    /** Forgets that in these games, or in all. */
    erase: async (run: Run, learner: Key, only: readonly number[] | undefined): Promise<void> =>
      void (await run(erase, await placesOf(run, learner, only))),

    over: ({ run }: Pick<Database, 'run'>) => ({
      /** Forgets those who were not seen since. @param before microseconds @param seen those who were, in pages */
      async forgetUnseen(game: number, before: number, seen: AsyncIterable<readonly Key[]>): Promise<void> {
        const day = Math.floor(before / dayMicros)
        if (!(await run<{ found: boolean }>(anyBefore, [game, day]))[0]!.found) return
        // their newer statements are kept: what was removed does not say when they were seen
        for await (const page of seen) await run(keep, [game, page.flatMap((learner) => keysOf(game, learner)), day])
        while ((await run(forget, [game, day])).length === atOnce);
      },
      /** Forgets all of a game that is deleted. */
      async forgetAll(game: number): Promise<void> {
        while ((await run(forget, [game, last])).length === atOnce);
      },
    }),
  }
}

export type FormerLearners = ReturnType<typeof formerLearners>
