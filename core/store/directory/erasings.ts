import type { Database } from '../database.ts'

/** An erasure that is under way. */
export interface UnderWay<Learner> {
  readonly id: string
  readonly learner: Learner
  /** UUID in place of the learner's name. */
  readonly pseudonym: string
  /** Games in which something was found. */
  readonly games: readonly number[]
}

/** Seconds after which another core goes on with it. */
const lease = 30
const held = `held_until = now() + interval '${lease} s'`
const begin = {
  name: 'erasing_begin',
  text: `insert into erasing (learner, pseudonym, held_until)
    values ($1, $2, now() + interval '${lease} s') returning id`,
}
const keep = {
  name: 'erasing_keep',
  text: `update erasing set ${held},
      games = case when $2 = any (games) then games else games || $2::int end where id = $1`,
}
const take = {
  name: 'erasing_take',
  text: `update erasing set ${held} where id = (
      select id from erasing where held_until < now() order by held_until limit 1 for update skip locked)
    returning id, learner, pseudonym, games`,
}
const end = { name: 'erasing_end', text: 'delete from erasing where id = $1 returning games' }

/** Erasures that are under way: whom they erase, until they have ended. */
export function erasingStore<Learner>({ run }: Pick<Database, 'run'>) {
  return {
    begin: async (learner: Learner, pseudonym: string): Promise<string> =>
      (await run<{ id: string }>(begin, [JSON.stringify(learner), pseudonym]))[0]!.id,
    /** Keeps other cores from going on with it; notes the game before something is erased there. */
    keep: async (id: string, game: number): Promise<void> => void (await run(keep, [id, game])),
    /** One whose core has ended. */
    take: async (): Promise<UnderWay<Learner> | undefined> =>
      (await run<UnderWay<Learner> & Record<string, unknown>>(take, []))[0],
    /** Forgets whom it erased. Returns the games; undefined: another core has ended it. */
    end: async (on: Database['run'], id: string): Promise<number[] | undefined> =>
      (await on<{ games: number[] }>(end, [id]))[0]?.games,
  }
}
