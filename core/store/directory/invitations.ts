import { isPlayable, type State } from '../../studio/lifecycle.ts'
import type { Database } from '../database.ts'
import { endSessions } from '../cell/ended-sessions.ts'
import { runningSessionsOf } from './launches.ts'

/** An invitation that has not been revoked. Its code is not stored. */
export interface Invitation {
  readonly id: string
  readonly learnerName: string
  /** Seconds since 1970. */
  readonly created: number
  readonly used: number
  /** Seconds since 1970; 0: never. */
  readonly lastUsed: number
}

/** Invitations that a game may have at a time. */
export const mostInvitations = 1_000

const lockGame = {
  name: 'invitation_lock_game',
  text: 'select id, state from game where uuid = $1 and studio = $2 and deleted is null for update',
}
const ownGame = {
  name: 'invitation_own_game',
  text: 'select id from game where uuid = $1 and studio = $2 and deleted is null',
}
const count = {
  name: 'invitation_count',
  text: 'select count(*)::int as invitations from invitation where game = $1 and revoked is null',
}
const add = {
  name: 'invitation_add',
  text: `with l as (insert into learner (game, kind, name) values ($1, 'invited', $2) returning uuid)
    insert into invitation (game, learner, code_hash) select $1, uuid, $3 from l`,
}
const list = {
  name: 'invitation_list',
  text: `select i.uuid as id, l.name as "learnerName", extract(epoch from i.created)::float8 as created, i.used,
      coalesce(extract(epoch from i.last_used), 0)::float8 as "lastUsed"
    from invitation i join learner l on l.uuid = i.learner where i.game = $1 and i.revoked is null
    order by i.created desc, i.uuid limit $2`,
}
const revoke = {
  name: 'invitation_revoke',
  text: 'update invitation set revoked = now() where game = $1 and uuid = $2 and revoked is null returning learner',
}
const byCode = {
  name: 'invitation_by_code',
  text: `select l.name as "learnerName"
    from invitation i join learner l on l.uuid = i.learner join game g on g.id = i.game
    where g.slug = $1 and g.deleted is null and i.code_hash = $2 and i.revoked is null`,
}

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
        const [there] = await run<{ invitations: number }>(count, [game.id])
        if (there!.invitations >= mostInvitations) return 'full'
        await run(add, [game.id, learnerName, codeHash])
        return 'done'
      }),

    /** Newest first; undefined: the studio has no such game. */
    async list(studio: number, gameId: string): Promise<Invitation[] | undefined> {
      const [game] = await run<{ id: number }>(ownGame, [gameId, studio])
      return game && (await run<Invitation & Record<string, unknown>>(list, [game.id, mostInvitations]))
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

    /** Name of the invited learner; undefined: no invitation has this code. */
    learnerOf: async (slug: string, codeHash: Buffer): Promise<string | undefined> =>
      (await run<{ learnerName: string }>(byCode, [slug, codeHash]))[0]?.learnerName,
  }
}
