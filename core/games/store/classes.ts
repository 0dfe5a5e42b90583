import type { Class as Message } from '../../../gen/lrs/v1/classes_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { invitations as limits } from '../../../shared/limits.ts'
import { isPlayable, type State } from '../rules/lifecycle.ts'
import { endSessions } from '../../records/store/cell/ended-sessions.ts'
import { sql, type Database, type Run } from '../../process/database/database.ts'
import { invitationOf, lockGame, ownGame, undoable, type Invitation } from './invitations.ts'
import { runningSessionsOf } from './launches.ts'

/** Invitations that were made together. */
export type Class = Fields<Omit<Message, 'final'>>

export interface NewLearner {
  readonly name: string
  /** Nobody knows the code of it: links are made later. */
  readonly codeHash: Buffer
}

const select = `select c.uuid as "classId", c.name, extract(epoch from c.created)::float8 as created,
    coalesce(extract(epoch from c.ended), 0)::float8 as ended,
    (select count(*) from invitation i where i.class = c.uuid and i.revoked is null)::int as learners
  from class c where c.game = $1 and (c.ended is null or c.ended > ${undoable})`
const list = sql('class_list')`${select} order by c.created desc, c.uuid limit $2`
const one = sql('class_one')`${select} and c.uuid = $2`
const add = sql('class_add')`insert into class (game, name) values ($1, $2) returning uuid as id`
const open = sql('class_open')`select uuid as id from class where game = $1 and uuid = $2 and ended is null for update`
const counts = sql('class_counts')`
  select (select count(*) from class where game = $1 and ended is null)::int as classes,
    (select count(*) from invitation where game = $1 and revoked is null)::int as invitations`
const members = sql('class_members')`
  ${invitationOf} where i.class = $1 and (i.revoked is null or i.revoked > ${undoable}) limit $2`
const addMembers = sql('class_add_members')`with n as materialized (
      select gen_random_uuid() as learner, name, hash from unnest($3::text[], $4::bytea[]) n (name, hash)),
    l as (insert into learner (uuid, game, kind, name) select learner, $1, 'invited', name from n)
    insert into invitation (game, learner, code_hash, class) select $1, learner, hash, $2 from n`
const renew = sql('invitation_renew')`update invitation i set code_hash = n.hash, linked = now()
    from unnest($2::uuid[], $3::bytea[]) n (id, hash), learner l
    where i.game = $1 and i.uuid = n.id and i.revoked is null and l.uuid = i.learner
    returning i.uuid as id, i.learner, l.name as "learnerName"`
const end = sql('class_end')`update class set ended = now() where game = $1 and uuid = $2 and ended is null returning 1`
const endMembers = sql('class_end_members')`
  update invitation set revoked = now() where class = $1 and revoked is null returning learner`
const handOver = sql('class_hand_over')`
  update class set handed_hash = $3, handed_until = now() + interval '${limits.handOverDays} days'
    where game = $1 and uuid = $2 and ended is null returning 1`
const restore = sql('class_restore')`update class c set ended = null from class before
    where before.uuid = c.uuid and c.game = $1 and c.uuid = $2 and c.ended > ${undoable}
    returning before.ended::text`
// those that ended before the class stay ended
const restoreMembers = sql('class_restore_members')`
  update invitation set revoked = null where class = $1 and revoked = $2::timestamptz`
const sweep = sql('class_sweep')`delete from class where uuid = any (array(
      select c.uuid from class c where c.ended < ${undoable}
        and not exists (select from invitation i where i.class = c.uuid) limit $1)) returning 1`

type Full = 'full' | 'class-full' | 'classes-full'

/** Classes of a game; each is a number of invitations. */
export function classStore({ run, transaction }: Database) {
  async function addTo(run: Run, game: number, id: string, wanted: LearnersOf): Promise<Full | undefined> {
    const there = await run<Invitation>(members, [id, limits.ofGame])
    const learners = wanted(there.map(({ learnerName }) => learnerName))
    if (there.filter(({ ended }) => ended === 0).length + learners.length > limits.ofClass) return 'class-full'
    const [all] = await run<{ invitations: number }>(counts, [game])
    if (all!.invitations + learners.length > limits.ofGame) return 'full'
    await run(addMembers, [game, id, learners.map(({ name }) => name), learners.map(({ codeHash }) => codeHash)])
    return undefined
  }

  return {
    /** Adds a class. Returns its id, or why there is none. @param wanted returns the learners to add */
    add: (
      studio: number,
      gameId: string,
      name: string,
      wanted: LearnersOf,
    ): Promise<{ id: string } | 'no-game' | 'not-public' | Full> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; state: State }>(lockGame, [gameId, studio])
        if (!game) return 'no-game'
        if (!isPlayable(game.state)) return 'not-public'
        const [all] = await run<{ classes: number }>(counts, [game.id])
        if (all!.classes >= limits.classes) return 'classes-full'
        const [made] = await run<{ id: string }>(add, [game.id, name])
        const full = await addTo(run, game.id, made!.id, wanted)
        if (full !== undefined) await run(undo, [made!.id])
        return full ?? made!
      }),

    /** Adds learners to a class. @param wanted returns them, given the names that the class has */
    extend: (
      studio: number,
      gameId: string,
      id: string,
      wanted: LearnersOf,
    ): Promise<'done' | 'no-game' | 'not-public' | Full> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; state: State }>(lockGame, [gameId, studio])
        if (!game || (await run(open, [game.id, id])).length === 0) return 'no-game'
        if (!isPlayable(game.state)) return 'not-public'
        return (await addTo(run, game.id, id, wanted)) ?? 'done'
      }),

    /** Newest first; undefined: the studio has no such game. */
    async list(studio: number, gameId: string): Promise<Class[] | undefined> {
      const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
      return game && (await run<Class>(list, [game.id, limits.ofGame]))
    },

    /** A class with its invitations, also those whose end can be undone; undefined: the studio has no such class. */
    async get(
      studio: number,
      gameId: string,
      id: string,
    ): Promise<{ of: Class; invitations: Invitation[] } | undefined> {
      const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
      const [of] = game ? await run<Class>(one, [game.id, id]) : []
      return of && { of, invitations: await run<Invitation>(members, [id, limits.ofGame]) }
    },

    /**
     * Replaces the codes of invitations, and ends the sessions that were started with the old ones. Leaves out
     * invitations that have ended. Undefined: the studio has no such game.
     */
    renew: (
      studio: number,
      gameId: string,
      links: readonly { id: string; codeHash: Buffer }[],
    ): Promise<{ id: string; learnerName: string }[] | undefined> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
        if (!game) return undefined
        const renewed = await run<{ id: string; learner: string; learnerName: string }>(renew, [
          game.id,
          links.map(({ id }) => id),
          links.map(({ codeHash }) => codeHash),
        ])
        for (const { learner } of renewed) await endSessions(run, await runningSessionsOf(run, learner))
        return renewed.map(({ id, learnerName }) => ({ id, learnerName }))
      }),

    /** Ends a class with its invitations and their sessions; returns how many; undefined: there is no such class. */
    end: (studio: number, gameId: string, id: string): Promise<number | undefined> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
        if (!game || (await run(end, [game.id, id])).length === 0) return undefined
        const ended = await run<{ learner: string }>(endMembers, [id])
        for (const { learner } of ended) await endSessions(run, await runningSessionsOf(run, learner))
        return ended.length
      }),

    /** Keeps the code by which a school takes the class over; false: there is no such class, or it has ended. */
    async handOver(studio: number, gameId: string, id: string, codeHash: Buffer): Promise<boolean> {
      const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
      return game !== undefined && (await run(handOver, [game.id, id, codeHash])).length === 1
    },

    /** Undoes the end of a class; false: it cannot be undone. */
    restore: (studio: number, gameId: string, id: string): Promise<boolean> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; state: State }>(lockGame, [gameId, studio])
        const [restored] = game ? await run<{ ended: string }>(restore, [game.id, id]) : []
        if (restored) await run(restoreMembers, [id, restored.ended])
        return restored !== undefined
      }),

    /** Deletes at most `limit` classes whose end is final and whose invitations are deleted; returns how many. */
    sweep: async (limit: number): Promise<number> => (await run(sweep, [limit])).length,
  }
}

type LearnersOf = (taken: readonly string[]) => readonly NewLearner[]

const undo = sql('class_undo')`delete from class where uuid = $1`
