import type { LearnerOrigin } from '../../../gen/lrs/v1/learners_pb.js'
import type { PlayerAccount } from '../../../gen/lrs/v1/admin_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { first, sql, type Database, type Run } from '../../process/database/database.ts'
import { endSessions } from '../../records/store/cell/ended-sessions.ts'
import { runningSessionsOf } from './launches.ts'
import type { PlayerLearner } from '../../analytics/store/learner-words.ts'
import { unknownOf } from '../../records/store/cell/learner-data.ts'
import type { LearnerKeys } from '../../records/store/cell/named-learners.ts'

/** How a learner came by the player. */
export type Origin = Fields<LearnerOrigin>

export type HeldAccount = Fields<PlayerAccount>

/** A learner of the player that may have nothing but a name. */
export interface Looked {
  readonly id: string
  readonly game: number
  readonly keys: LearnerKeys
}

const origin = sql('learner_origin')`select l.name, l.kind, extract(epoch from l.created)::bigint::float8 as created,
      l.token_hash is not null as remembered, coalesce(i.used, 0) as used, i.revoked is not null as revoked
    from learner l left join lateral (
      select * from invitation i where i.learner = l.uuid order by i.created desc limit 1) i on true
    where l.uuid = $1 and l.game = $2`
const some = sql('learner_kinds')`select uuid as id, name, kind from learner where uuid = any ($1) and game = $2`
const account = sql('learner_account')`
  select l.name, l.kind, g.uuid as "gameId", extract(epoch from l.created)::bigint::float8 as created
    from learner l join game g on g.id = l.game where l.uuid = $1 and ($2::int[] is null or l.game = any ($2))`

// a session that starts meanwhile waits for this lock and then makes a new learner;
// one that started first holds the row, which is skipped
const due = sql('learner_look')`select uuid as id, game from learner where kind = 'player' and look_after < now()
    order by look_after limit $1 for update skip locked`
const forget = sql('learner_forget_idle')`delete from learner l where l.uuid = any ($1)
    and not exists (select from launch o where o.learner = l.uuid)
    and not exists (select from invitation o where o.learner = l.uuid)
    and not exists (select from device o where o.learner = l.uuid)`
const lookAgain = sql('learner_look_again')`
  update learner set look_after = now() + interval '30 days' where uuid = any ($1)`
const accountOf = sql('learner_account_of')`select from learner where uuid = $1 and game = any ($2)`
const erase = [
  sql('learner_erase_launches')`delete from launch where learner = $1`,
  sql('learner_erase_invitations')`delete from invitation where learner = $1`,
  sql('learner_erase_account')`delete from learner where uuid = $1 returning 1`,
]

/** Accounts that the player made. */
export function learnerStore({ run, transaction }: Database) {
  return {
    account: async ({ account: uuid, only }: LearnerKeys): Promise<HeldAccount | undefined> =>
      uuid === undefined ? undefined : (await run<HeldAccount>(account, [uuid, only ?? null]))[0],

    /** How a learner of the game came by the player; undefined: it did not. */
    origin: (game: number, account: string) => first(run<Origin>(origin, [account, game])),
    /** Those of these accounts that belong to the game. */
    some: (game: number, accounts: readonly string[]) => run<PlayerLearner>(some, [accounts, game]),

    /**
     * Checks learners of the player that are due, at most `limit`, and deletes those with nothing but a name.
     * Returns the number of checked learners.
     * @param elsewhere those of the given learners that cells on other servers do not know either
     */
    sweep: (
      limit: number,
      keysOf: (id: string) => LearnerKeys,
      elsewhere: (learners: readonly Looked[]) => Promise<readonly Looked[]>,
    ): Promise<number> =>
      transaction(async (run) => {
        const checked = await run<{ id: string; game: number }>(due, [limit])
        if (checked.length === 0) return 0
        const looked = checked.map(({ id, game }): Looked => ({ id, game, keys: keysOf(id) }))
        const unknown = await elsewhere(await unknownOf(run, looked))
        if (unknown.length > 0) await run(forget, [unknown.map(({ id }) => id)])
        await run(lookAgain, [checked.map(({ id }) => id)])
        return checked.length
      }),

    /** Removes accounts with their sessions and invitations. */
    removeAll: (accounts: readonly string[]): Promise<void> =>
      transaction(async (run) => {
        for (const account of accounts) {
          await endSessions(run, await runningSessionsOf(run, account))
          for (const query of erase) await run(query, [account])
        }
      }),

    /** Removes an account with its sessions and invitations; returns how many accounts there were: 0 or 1. */
    async remove(run: Run, { account, only }: LearnerKeys): Promise<number> {
      if (account === undefined) return 0
      if (only && (await run(accountOf, [account, only])).length === 0) return 0
      await endSessions(run, await runningSessionsOf(run, account))
      let rows: unknown[] = []
      for (const query of erase) rows = await run(query, [account])
      return rows.length
    },
  }
}
