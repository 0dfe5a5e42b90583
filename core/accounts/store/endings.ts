import { secondThoughts } from '../../../shared/limits.ts'
import { column, did, sql, type Database, type Run } from '../../process/database/database.ts'

const soon = `now() + ${secondThoughts.days} * interval '1 day'`
const end = (table: 'account' | 'studio') => sql(`${table}_set_end`)`
  update ${table} set ends = case when $2 then ${soon} end where id = $1 and (ends is null) = $2 returning id`
const endAccount = end('account')
const endStudio = end('studio')

const dueStudio = sql('studio_due')`
  select id, uuid as "studioId" from studio where ends <= now() order by ends limit 1 for update skip locked`
const gamesOf = sql('studio_due_games')`
  select id from game where studio = $1 and deleted is null order by id for update`
/** What is left is the row that games and their statements name. */
const clear = sql('studio_clear')`with logos as (
        select logo as key from studio where id = $1 and logo is not null
        union select accepted_logo from studio where id = $1 and accepted_logo is not null),
      uploads as (delete from upload where studio = $1 returning uuid),
      listed as (
        insert into garbage (key, due) select key, now() from logos union select 'uploads/' || uuid, now() from uploads
        on conflict (key) do update set due = least(garbage.due, excluded.due)),
      messages as (delete from studio_message where studio = $1),
      invitations as (delete from member_invitation where studio = $1),
      reserved as (delete from reserved_prefix where studio = $1),
      provided as (update sign_in_provider set school = null where school = $1)
    update studio set name = 'Deleted studio', slug = 'deleted-' || uuid, about = '', website = '', logo = null,
      accepted_name = null, accepted_about = null, accepted_website = null, accepted_logo = null,
      profile_note = '', trusted = false, quotas = '{}', ends = null, ended = now()
    where id = $1`
const changeReservations = sql('studio_clear_reservations')`update reservation_change set changes = changes + 1
    where exists (select from reserved_prefix where studio = $1)`
const membersOf = sql('studio_due_members')`select account from member where studio = $1`

const dueAccounts = sql('accounts_due')`delete from account where id = any (array(
      select a.id from account a where a.ends <= now() and not exists (
        select from member m where m.account = a.id and m.role = 'owner' and not exists (
          select from member n join account o on o.id = n.account
          where n.studio = m.studio and n.account <> m.account and n.role = 'owner' and o.ends is null))
      order by a.ends limit $1 for update skip locked))
    returning uuid as "accountId"`

/** Ends of accounts and studios, with time for second thoughts. */
export function endingStore({ run, essential, transaction }: Database) {
  return {
    /** Sets or takes back the end of an account; false: it is so already. A given `on` is the transaction to use. */
    account: (account: number, ends: boolean, on = run) => did(on(endAccount, [account, ends])),
    /** The same of a studio. */
    studio: (studio: number, ends: boolean, on = run) => did(on(endStudio, [studio, ends])),

    /**
     * Deletes the next studio whose time has come. Returns its id (UUID); undefined: there is none.
     * @param endGame ends one of its games
     * @param removeMember takes one of its members out
     */
    nextStudio: (
      endGame: (run: Run, game: number) => Promise<void>,
      removeMember: (run: Run, studio: number, account: number) => Promise<void>,
    ): Promise<string | undefined> =>
      transaction(async (run) => {
        const [studio] = await run<{ id: number; studioId: string }>(dueStudio, [])
        if (!studio) return undefined
        for (const { id } of await run<{ id: number }>(gamesOf, [studio.id])) await endGame(run, id)
        for (const { account } of await run<{ account: number }>(membersOf, [studio.id]))
          await removeMember(run, studio.id, account)
        await run(changeReservations, [studio.id])
        await run(clear, [studio.id])
        return studio.studioId
      }),

    /** Deletes accounts whose time has come, at most `limit`; returns their ids (UUID). The last owner of a studio stays. */
    accounts: (limit: number) => column<string>(essential(dueAccounts, [limit])),
  }
}
