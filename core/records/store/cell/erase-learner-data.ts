import type { Key } from '../../xapi/identify.ts'
import { scalar, sql, type Run } from '../../../process/database/database.ts'
import { along, everything, exactly } from '../../../process/database/look.ts'
import type { Counting } from './counting.ts'
import { isHere } from './current.ts'
import { recount } from './game-bytes.ts'
import {
  asked,
  games,
  knownKeys,
  namedGames,
  nextNaming,
  type LearnerKeys,
  type LearnerPlace,
  type NamedGame,
} from './named-learners.ts'
import { tellAll } from './tell.ts'

const ascending = { ...everything, ascending: true }
/** Links that are renamed at once. */
const linksAtOnce = 1_000

const lockOrder = sql('learner_lock_order')`select pg_advisory_xact_lock(2026, order_lock(this_cell()))`
const through = sql('learner_through')`select last_value as last from statement_order`
const lockErasures = sql('learner_lock_erasures')`select pg_advisory_xact_lock(2026, 7)`
const countErasure = sql('learner_count_erasure')`select nextval('erasure')`
const lockCursors = sql('learner_lock_cursors')`select c.game from tally_cursor c join tenant g on g.game = c.game
    where c.game = any ($1) and ${isHere} order by c.game for update of c`
const actorsOf = sql('learner_actors_of')`
  select distinct s.game, s.actor from unnest($1::int[], $2::bigint[]) k (game, stored)
    cross join lateral (
      select s.game, s.actor from statement s
      where ${exactly('s', { game: 'k.game', stored: 'k.stored' })} limit 1) s`
const eraseStatements = sql('learner_erase_statements')`select * from erase_statements($1, $2)`
/** CTE: readers of standbys learn of it (standby-order.ts). */
const counts = 'counts as (update cell set erased = erased + 1 where number = this_cell())'
const rewrite = sql('learner_rewrite')`with ${counts}, new as (
      select * from unnest($1::int[], $2::bigint[], $3::text[], $4::uuid[]) n (game, stored, body, actor)),
    links as (
      update posting p set term = n.actor from new n join statement o on o.game = n.game and o.stored = n.stored
      where o.actor <> n.actor and p.game = n.game and p.term = o.actor and p.target = n.stored),
    own as (
      update posting p set term = case when p.term = $5::uuid then $7::uuid else $8::uuid end
      from new n cross join lateral (values ($5::uuid), ($6::uuid)) t (term)
      where p.game = n.game and p.term = t.term and p.stored = n.stored and p.target = n.stored returning 1),
    changed as (
    update statement s set body = n.body, actor = n.actor,
      terms = array_replace(array_replace(s.terms, $5::uuid, $7::uuid), $6::uuid, $8::uuid)
    from new n where s.game = n.game and s.stored = n.stored)
    select count(*)::int as count from own`
// of statements that refer to one that names the agent
const linked = (where: string) =>
  [1, 2]
    .map(
      (n) => `(select p.ctid, p.target from posting p
        where ${along('p', { game: '$3', term: `$${n}` }, 'stored', ascending)} and p.stored <> p.target ${where})`,
    )
    .join(' union all ')
const linkedTo = sql('learner_linked_to')`select target, count(*)::int as count from (${linked('')}) l group by target`
const renamePostings = sql('learner_rename_postings')`with ${counts}, renamed as (
      update posting p set term = case when p.term = $1::uuid then $4::uuid else $5::uuid end
      where p.ctid = any (array(select ctid from (${linked(`limit ${linksAtOnce}`)}) l)) returning 1)
    select count(*)::int as count from renamed`
const eraseDocuments = sql('learner_erase_documents')`
  with gone as (delete from document where agent = any ($1) and ${asked('game', 2)} returning activity)
    select (count(*) filter (where activity is not null))::int as states,
      (count(*) filter (where activity is null))::int as "agentProfiles" from gone`
const eraseNames = sql('learner_erase_names')`
  with gone as (delete from agent_name where agent = any ($1) returning name)
    select count(name)::int as count from gone`

export type Erasing = ReturnType<typeof erasing>

/** What one step of an erasure does, in its transaction. */
export function erasing(
  run: Run,
  { forgetLearners, takeOffDays, forgetSeen, formerGames, eraseFormer }: Counting,
  preview: boolean,
) {
  return {
    /** No other erasure changes the statements that this step reads. */
    alone: async (): Promise<void> => void (await run(lockErasures, [])),
    /** From now on no other transaction writes statements of the cell. */
    lock: async (): Promise<void> => {
      if (!preview) await run(lockOrder, [])
    },
    /** The last place in the order. */
    through: async (): Promise<number> => Number((await run<{ last: string }>(through, []))[0]!.last),
    /** Games with statements that name the agent. */
    games: (keys: LearnerKeys) => namedGames(run, keys),
    /** The next statements of the game that name the agent. */
    next: (keys: LearnerKeys, game: NamedGame, after: number) => nextNaming(run, keys, game, after),
    async remove(
      places: readonly LearnerPlace[],
    ): Promise<{ statements: number; postings: number; attachments: number }> {
      const [row] = await run<{ statements: number; postings: number; attachments: number }>(eraseStatements, [
        places.map(({ game }) => game),
        places.map(({ stored }) => stored),
      ])
      return row!
    },
    /** Replaces body and actor of statements, and the agent's keys in their terms by those of the pseudonym. */
    rewrite: (
      changed: readonly (LearnerPlace & { body: string; actor: Key })[],
      old: LearnerKeys,
      pseudonym: LearnerKeys,
    ) =>
      scalar<number>(
        run(rewrite, [
          changed.map(({ game }) => game),
          changed.map(({ stored }) => stored),
          changed.map(({ body }) => body),
          changed.map(({ actor }) => actor),
          old.key,
          old.relatedKey,
          pseudonym.key,
          pseudonym.relatedKey,
        ]),
      ),
    /** Renames the agent where statements refer to ones that name it: some of them; 0: there are none. */
    renamePostings: (old: LearnerKeys, pseudonym: LearnerKeys, game: number) =>
      scalar<number>(run(renamePostings, [old.key, old.relatedKey, game, pseudonym.key, pseudonym.relatedKey])),
    /** The number of such references, by the statement that is referred to. */
    linkedTo: async ({ key, relatedKey }: LearnerKeys, game: number): Promise<{ target: number; count: number }[]> =>
      (await run<{ target: string; count: number }>(linkedTo, [key, relatedKey, game])).map(({ target, count }) => ({
        target: Number(target),
        count,
      })),
    /** Takes statements that will be removed off the sums of days. */
    async takeOffDays(places: readonly LearnerPlace[]): Promise<void> {
      for (const [game, own] of Map.groupBy(places, (place) => place.game))
        await takeOffDays(
          run,
          game,
          own.map(({ stored }) => stored),
        )
    },
    /** Learners whose statements these are. */
    actors: (places: readonly LearnerPlace[]): Promise<{ game: number; actor: Key }[]> =>
      run(actorsOf, [places.map(({ game }) => game), places.map(({ stored }) => stored)]),
    /** Takes the learner off all counts of learners. */
    async forgetLearner(key: Key, games: readonly number[]): Promise<void> {
      for (const { game } of await run<{ game: number }>(lockCursors, [games]))
        await forgetLearners(run, game, [key], false)
    },
    /** Counts learners again, of whom statements are changed or removed. */
    async recountLearners(game: number, keys: ReadonlySet<Key>): Promise<void> {
      if (keys.size > 0 && (await run(lockCursors, [[game]])).length > 0)
        await forgetLearners(run, game, [...keys], true)
    },
    /** Games in which statements of the learner have expired. */
    formerGames: ({ key, only }: LearnerKeys): Promise<number[]> => formerGames(run, key, only),
    /** Forgets that. */
    forgetFormer: ({ key, only }: LearnerKeys): Promise<void> => eraseFormer(run, key, only),
    /** Removes the agent from the lists of learners. */
    forgetSeen: (key: Key, games: readonly number[]): Promise<void> => forgetSeen(run, games, key),
    /** Restarts the byte count of these games. */
    recount: async (games: readonly number[]): Promise<void> => void (await run(recount, [games])),
    removeDocuments: async (keys: LearnerKeys): Promise<{ states: number; agentProfiles: number }> =>
      (
        await run<{ states: number; agentProfiles: number }>(eraseDocuments, [
          await knownKeys(run, keys),
          keys.only ?? null,
        ])
      )[0]!,
    /** Writes the rest of table `telling` to the tables of definitions and names, so that names can be removed. */
    tellAll: async (): Promise<void> => void (await run(tellAll, [])),
    /**
     * Games share names: names of an agent whom other games know stay. Every core clears its cache of stored names,
     * and moves of games begin again.
     */
    async removeNames({ only, ...keys }: LearnerKeys): Promise<number> {
      await run(tellAll, [])
      await run(countErasure, [])
      if (only && (await run(games, [keys.key, keys.relatedKey, null])).length > 0) return 0
      return (await run<{ count: number }>(eraseNames, [await knownKeys(run, keys)]))[0]!.count
    },
  }
}
