import { weeklyMails as limits } from '../../../shared/limits.ts'
import { did, done, first, scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { leases, type Leased } from '../../records/store/leases.ts'

export interface WatchedGame {
  readonly game: number
  /** UUID. */
  readonly gameId: string
  readonly name: string
}

/** A weekly mail that is due. */
export interface LeasedWeekly extends Leased {
  /** UUID, for the link that ends it. */
  readonly weeklyId: string
  readonly account: number
  readonly recipient: string
  /** Of the studio. */
  readonly name: string
  readonly zone: string
  /** The address is verified; neither account nor studio is suspended. */
  readonly isWanted: boolean
  /** The newest ones of the studio. */
  readonly games: readonly WatchedGame[]
}

const leased = leases('weekly_mail', { open: 'leased is not null' })
const games = `select g.id as game, g.uuid as "gameId", g.name from game g
  where g.studio = s.id and g.deleted is null and g.sandbox_of is null order by g.id desc limit ${limits.looked}`
const lease = sql('weekly_mail_lease')`with taken as (
      ${leased.take({ due: 't.due <= now()', order: 't.due, t.id' })} returning id, uuid, studio, account, attempts)
    select t.id, t.attempts, t.uuid as "weeklyId", t.account, a.email as recipient, s.name, s.zone,
      a.email_verified is not null and a.suspended is null and s.suspended is null as "isWanted",
      (select coalesce(jsonb_agg(o), '[]') from (${games}) o) as games
    from taken t join account a on a.id = t.account join studio s on s.id = t.studio`
const postpone = sql('weekly_mail_postpone')`update weekly_mail set leased = null, due = to_timestamp($3)
    where ${leased.isOpen} returning 1`
const has = sql('weekly_mail_has')`
  select exists (select from weekly_mail where studio = $1 and account = $2) as has`
const zone = sql('weekly_mail_zone')`select zone from studio where id = $1`
const add = sql('weekly_mail_add')`insert into weekly_mail (studio, account, due) values ($1, $2, to_timestamp($3))
    on conflict do nothing`
const remove = sql('weekly_mail_remove')`delete from weekly_mail where studio = $1 and account = $2`
const end = sql('weekly_mail_end')`delete from weekly_mail where uuid = $1`

/** Members who get a mail about the week of their games. One core at a time works on one. */
export const weeklyMailStore = ({ run, essential }: Pick<Database, 'run' | 'essential'>) => ({
  lease: (seconds: number) => first(essential<LeasedWeekly>(lease, [seconds])),
  ...leased.on(essential),
  /** False: it was written, or another core has it. @param due when the next one is: seconds since 1970 */
  postpone: ({ id, attempts }: Leased, due: number, inTransaction: Run) =>
    did(inTransaction(postpone, [id, attempts, due])),
  has: (studio: number, account: number) => scalar<boolean>(run(has, [studio, account])),
  zoneOf: (studio: number) => scalar<string>(run(zone, [studio])),
  /** @param due seconds since 1970 */
  add: (studio: number, account: number, due: number) => done(run(add, [studio, account, due])),
  remove: (studio: number, account: number) => done(run(remove, [studio, account])),
  /** @param weeklyId UUID */
  end: (weeklyId: string) => done(run(end, [weeklyId])),
})
