import { learnerPages } from '../../../shared/limits.ts'
import { wordsOf } from '../../process/rules/words.ts'
import type { Database } from '../../process/database/database.ts'

/** A learner as the player knows it. */
export interface PlayerLearner {
  readonly id: string
  readonly name: string
  /** `player`, `invited` or `test`. */
  readonly kind: string
}

const batch = 500
const unworded = {
  name: 'learner_unworded',
  text: `select uuid as id, name from learner where not worded and game = $1 order by game, uuid limit ${batch}
    for update skip locked`,
}
const addWords = {
  name: 'learner_add_words',
  text: `with gone as (delete from learner_word where learner = any ($2)),
    added as (
      insert into learner_word (game, word, learner) select $1, * from unnest($3::text[], $4::uuid[])
      on conflict do nothing)
    update learner set worded = true where uuid = any ($2)`,
}
const found = {
  name: 'learner_by_words',
  text: `select l.uuid as id, l.name, l.kind from (
      select distinct w.learner from (
        select w.learner from learner_word w
        where (w.game, w.word) >= ($1, $2) and (w.game, w.word) < ($1, $3)
        order by w.game, w.word limit ${learnerPages.candidates}) w) w
    cross join lateral (select * from learner l where l.uuid = w.learner offset 0) l
    where l.kind = any ($4) and not exists (
      select from unnest($5::text[], $6::text[]) o (low, high)
      where not exists (
        select from learner_word e where e.learner = l.uuid and e.word >= o.low and e.word < o.high))
    order by l.created desc limit $7`,
}
/** Learners of the player by the words of their names. */
export function learnerWordStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Adds words of new names; false: there are more. */
    add: (game: number): Promise<boolean> =>
      transaction(async (run) => {
        const learners = await run<{ id: string; name: string }>(unworded, [game])
        if (learners.length === 0) return true
        const words = learners.flatMap(({ id, name }) => wordsOf(name).map((word) => ({ id, word })))
        await run(addWords, [
          game,
          learners.map(({ id }) => id),
          words.map(({ word }) => word),
          words.map(({ id }) => id),
        ])
        return learners.length < batch
      }),

    /** Learners with words that begin with each of these. @param words the first one should be rare */
    find: (
      game: number,
      [word, ...others]: readonly string[],
      kinds: readonly string[],
      limit: number,
    ): Promise<PlayerLearner[]> =>
      run<PlayerLearner & Record<string, unknown>>(found, [
        game,
        word,
        after(word!),
        kinds,
        others,
        others.map(after),
        limit,
      ]),
  }
}

const after = (word: string): string => `${word}\u{10ffff}`
