import type { Key } from '../../xapi/identify.ts'
import type { Database } from '../database.ts'
import { exactly } from '../look.ts'
import { isHere } from './current.ts'
import { recount } from './game-bytes.ts'
import { forgetSeen } from './learners-seen.ts'
import { acts, asked, games, knownKeys, looked, naming, type LearnerKeys, type LearnerPlace } from './named-learners.ts'
import { forgetLearners } from './tallies.ts'

// in every cell, also where a game has left rows behind, or its statements are misplaced
const acting = {
  name: 'learner_acting',
  text: `select g.game, s.stored from tenant g
    cross join lateral (select r.stored from statement r where ${looked(acts('g.game'), '0')} offset 0) s
    where ${asked('g.game', 2)}`,
}
const lockCursors = {
  name: 'learner_lock_cursors',
  text: `select c.game from tally_cursor c join tenant g on g.game = c.game
    where c.game = any ($1) and ${isHere} order by c.game for update of c`,
}
const actorsOf = {
  name: 'learner_actors_of',
  text: `select distinct s.game, s.actor from unnest($1::int[], $2::bigint[]) k (game, stored)
    cross join lateral (
      select s.game, s.actor from statement s
      where ${exactly('s', { game: 'k.game', stored: 'k.stored' })} limit 1) s`,
}
const eraseStatements = { name: 'learner_erase_statements', text: 'select * from erase_statements($1, $2)' }
const rewrite = {
  name: 'learner_rewrite',
  text: `with new as (
      select * from unnest($1::int[], $2::bigint[], $3::text[], $4::uuid[]) n (game, stored, body, actor)),
    links as (
      update posting p set term = n.actor from new n join statement o on o.game = n.game and o.stored = n.stored
      where o.actor <> n.actor and p.game = n.game and p.term = o.actor and p.target = n.stored)
    update statement s set body = n.body, actor = n.actor,
      terms = array_replace(array_replace(s.terms, $5::uuid, $7::uuid), $6::uuid, $8::uuid)
    from new n where s.game = n.game and s.stored = n.stored`,
}
const renamePostings = {
  name: 'learner_rename_postings',
  text: `with renamed as (
      update posting p set term = case when p.term = $1::uuid then $3::uuid else $4::uuid end from tenant g
      where p.game = g.game and p.term in ($1::uuid, $2::uuid) and ${asked('p.game', 5)} returning 1)
    select count(*)::int as count from renamed`,
}
const renameDays = {
  name: 'learner_rename_days',
  text: 'update learner_day set actor = $2 where game = any ($3) and actor = $1',
}
const eraseDocuments = {
  name: 'learner_erase_documents',
  text: `with gone as (delete from document where agent = any ($1) and ${asked('game', 2)} returning activity)
    select (count(*) filter (where activity is not null))::int as states,
      (count(*) filter (where activity is null))::int as "agentProfiles" from gone`,
}
const eraseNames = {
  name: 'learner_erase_names',
  text: `with gone as (delete from agent_name where agent = any ($1) returning name)
    select count(name)::int as count from gone`,
}

export type Erasing = ReturnType<typeof erasing>

/** The steps of one erasure, in its transaction. */
export function erasing(run: Database['run']) {
  return {
    /** Statements whose actor is the agent. */
    acting: async ({ key, only }: LearnerKeys): Promise<LearnerPlace[]> =>
      (await run<{ game: number; stored: string }>(acting, [key, only ?? null])).map(({ game, stored }) => ({
        game,
        stored: Number(stored),
      })),
    /** Other statements that name the agent, page by page. */
    naming: (keys: LearnerKeys) => naming(run, keys, 'ofOthers'),
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
    rewrite: async (
      changed: readonly (LearnerPlace & { body: string; actor: Key })[],
      old: LearnerKeys,
      pseudonym: LearnerKeys,
    ): Promise<void> =>
      void (await run(rewrite, [
        changed.map(({ game }) => game),
        changed.map(({ stored }) => stored),
        changed.map(({ body }) => body),
        changed.map(({ actor }) => actor),
        old.key,
        old.relatedKey,
        pseudonym.key,
        pseudonym.relatedKey,
      ])),
    renamePostings: async (old: LearnerKeys, pseudonym: LearnerKeys): Promise<number> =>
      (
        await run<{ count: number }>(renamePostings, [
          old.key,
          old.relatedKey,
          pseudonym.key,
          pseudonym.relatedKey,
          old.only ?? null,
        ])
      )[0]!.count,
    /** Renames the agent in the daily counts, so that the number of learners stays the same. */
    renameDays: async (old: Key, pseudonym: Key, games: readonly number[]): Promise<void> =>
      void (await run(renameDays, [old, pseudonym, games])),
    /** Learners whose statements these are. */
    actors: (places: readonly LearnerPlace[]): Promise<{ game: number; actor: Key }[]> =>
      run(actorsOf, [places.map(({ game }) => game), places.map(({ stored }) => stored)]),
    /** Takes the learner off all counts of learners. Counts the others again, whose statements were changed. */
    async recountLearners(key: Key, others: ReadonlyMap<number, ReadonlySet<Key>>): Promise<void> {
      for (const { game } of await run<{ game: number }>(lockCursors, [[...others.keys()]])) {
        await forgetLearners(run, game, [key], false)
        await forgetLearners(run, game, [...others.get(game)!], true)
      }
    },
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
    /** Names are shared by games: those of an agent whom other games know stay. */
    async removeNames({ only, ...keys }: LearnerKeys): Promise<number> {
      if (only && (await run(games, [keys.key, keys.relatedKey, null])).length > 0) return 0
      return (await run<{ count: number }>(eraseNames, [await knownKeys(run, keys)]))[0]!.count
    },
  }
}
