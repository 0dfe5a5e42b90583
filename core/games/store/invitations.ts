import type { GetInvitationResponse, Invitation as Message } from '../../../gen/lrs/v1/launches_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { invitations as limits } from '../../../shared/limits.ts'
import { isPlayable, type State } from '../rules/lifecycle.ts'
import { first, sql, type Database } from '../../process/database/database.ts'
import { endSessions } from '../../records/store/cell/ended-sessions.ts'
import { runningSessionsOf } from './launches.ts'

/** An invitation. Its code is not stored. */
export interface Invitation extends Fields<Omit<Message, 'final'>> {
  /** UUID. */
  readonly learner: string
}

/** SQL: what ended before cannot be restored. */
export const undoable = `now() - interval '${limits.undoDays} days'`

export const lockGame = sql('invitation_lock_game')`
  select id, state from game where uuid = $1 and studio = $2 and deleted is null for update`
export const ownGame = sql('invitation_own_game')`
  select id from game where uuid = $1 and studio = $2 and deleted is null`
const count = sql('invitation_count')`
  select count(*)::int as invitations, (count(*) filter (where class is null))::int as single
    from invitation where game = $1 and revoked is null`
const add = sql('invitation_add')`
  with l as (insert into learner (game, kind, name) values ($1, 'invited', $2) returning uuid)
    insert into invitation (game, learner, code_hash, linked) select $1, uuid, $3, now() from l`
export const invitationOf = `select i.uuid as "invitationId", i.learner, l.name as "learnerName",
    extract(epoch from i.created)::float8 as created, i.used,
    coalesce(extract(epoch from i.last_used), 0)::float8 as "lastUsed",
    coalesce(extract(epoch from i.linked), 0)::float8 as linked,
    coalesce(extract(epoch from i.revoked), 0)::float8 as ended
  from invitation i join learner l on l.uuid = i.learner`
const list = sql('invitation_list')`
  ${invitationOf} where i.game = $1 and i.class is null and (i.revoked is null or i.revoked > ${undoable})
    order by i.created desc, i.uuid limit $2`
/** What the code of an invitation leads to. */
export type FoundInvitation = Fields<GetInvitationResponse>
const revoke = sql('invitation_revoke')`
  update invitation set revoked = now() where game = $1 and uuid = $2 and revoked is null returning learner`
const restore = sql('invitation_restore')`
  update invitation i set revoked = null where i.game = $1 and i.uuid = $2 and i.revoked > ${undoable}
    and not exists (select from class c where c.uuid = i.class and c.ended is not null) returning 1`
const byCode = sql('invitation_by_code')`select l.name as "learnerName", g.slug,
      coalesce((select c.version from consent c where c.learner = l.uuid order by c.agreed desc limit 1), '') as agreed
    from invitation i join learner l on l.uuid = i.learner join game g on g.id = i.game
    where ($1 = '' or g.slug = $1) and g.slug is not null and g.deleted is null
      and i.code_hash = $2 and i.revoked is null`
// the learner is now one who may be forgotten, if nothing but the name is kept; its devices may not start again
const sweep = sql('invitation_sweep')`with gone as (
      delete from invitation where uuid = any (array(
        select uuid from invitation where revoked < ${undoable} order by revoked limit $1)) returning learner),
    unnamed as (update learner set kind = 'player', look_after = now() where uuid in (select learner from gone)),
    unlinked as (delete from device where learner in (select learner from gone))
    select 1 from gone`

/** Invitations of learners, found by the hash of their code. */
export function invitationStore({ run, transaction }: Database) {
  return {
    add: (
      studio: number,
      gameId: string,
      learnerName: string,
      codeHash: Buffer,
    ): Promise<'done' | 'no-game' | 'not-public' | 'full'> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; state: State }>(lockGame, [gameId, studio])
        if (!game) return 'no-game'
        if (!isPlayable(game.state)) return 'not-public'
        const [there] = await run<{ invitations: number; single: number }>(count, [game.id])
        if (there!.single >= limits.single || there!.invitations >= limits.ofGame) return 'full'
        await run(add, [game.id, learnerName, codeHash])
        return 'done'
      }),

    /** Those without a class, newest first, also those whose end can be undone; undefined: there is no such game. */
    async list(studio: number, gameId: string): Promise<Invitation[] | undefined> {
      const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
      return game && (await run<Invitation>(list, [game.id, 2 * limits.single]))
    },

    /** Revokes it and ends the sessions that were started with it. False when the studio has no such invitation. */
    revoke: (studio: number, gameId: string, id: string): Promise<boolean> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
        const [revoked] = game ? await run<{ learner: string }>(revoke, [game.id, id]) : []
        // a session that was starting held the lock of the invitation until now
        if (revoked) await endSessions(run, await runningSessionsOf(run, revoked.learner))
        return revoked !== undefined
      }),

    /** Undoes the end of an invitation; false: it cannot be undone. */
    restore: (studio: number, gameId: string, id: string): Promise<boolean> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number }>(lockGame, [gameId, studio])
        return game !== undefined && (await run(restore, [game.id, id])).length === 1
      }),

    /** Name of the invited learner, and the game; undefined: no such code. @param slug empty: any game */
    byCode: (slug: string, codeHash: Buffer) => first(run<FoundInvitation>(byCode, [slug, codeHash])),

    /** Deletes at most `limit` invitations whose end is final; returns how many. */
    sweep: async (limit: number): Promise<number> => (await run(sweep, [limit])).length,
  }
}
