import type { Studio } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { done, first, sql, type Database, type Run } from '../../process/database/database.ts'

/** The public profile of a studio. */
export type ProfileView = Pick<Fields<Studio>, 'name' | 'about' | 'website' | 'logo'>

/** The draft of a profile that a reviewer is to decide on. */
export interface WaitingProfile {
  /** UUID. */
  readonly studioId: string
  readonly slug: string
  readonly draft: ProfileView
  readonly accepted: ProfileView
  /** Counts the changes. */
  readonly profile: number
  /** Seconds since 1970. */
  readonly changed: number
}

/** SQL: whether the profile of the studio `s` differs from the accepted one; isProfileWaiting: and is not rejected. */
export const isProfileChanged = `(s.accepted_name is not null and
  (s.name, s.about, s.website, s.logo)
    is distinct from (s.accepted_name, s.accepted_about, s.accepted_website, s.accepted_logo))`
export const isProfileWaiting = `(${isProfileChanged} and s.profile_rejected is distinct from s.profile)`

/** SQL: a column of the profile as the public sees it. */
export const publicProfile = (column: 'name' | 'about' | 'website' | 'logo'): string =>
  `case when s.accepted_name is null then s.${column} else s.accepted_${column} end`

const draftView = `jsonb_build_object(
  'name', s.name, 'about', s.about, 'website', s.website, 'logo', coalesce(s.logo, ''))`
/** SQL: null when there is none. */
export const acceptedView = `case when s.accepted_name is not null then jsonb_build_object(
  'name', s.accepted_name, 'about', s.accepted_about, 'website', s.accepted_website,
  'logo', coalesce(s.accepted_logo, '')) end`

/**
 * Makes the column's file garbage, unless the other column has it, too.
 * The update has to read `from old`, so that this part runs first.
 */
const listed = (column: string, other: string, where = '') =>
  `old as (select id, logo, accepted_logo from studio where id = $1 ${where} for update),
      listed as (insert into garbage (key, due) select ${column}, now() from old
        where ${column} is distinct from ${other} and ${column} is not null
        on conflict (key) do update set due = excluded.due)`
const turned = 'profile = profile + 1, profile_changed = now()'

const update = sql('profile_update')`update studio set name = $2, about = $3, website = $4, ${turned} where id = $1`
const setLogo = sql('profile_set_logo')`with ${listed('logo', 'accepted_logo')}
    update studio s set logo = $2, ${turned} from old where s.id = old.id`
const accept = sql('profile_accept')`with ${listed('accepted_logo', 'logo')}
    update studio s set accepted_name = name, accepted_about = about, accepted_website = website,
      accepted_logo = s.logo, profile_note = ''
      from old where s.id = old.id`
const acceptFirst = sql('profile_accept_first')`
  update studio set accepted_name = name, accepted_about = about, accepted_website = website,
      accepted_logo = logo
    where id = $1 and accepted_name is null`
const isTrusted = sql('profile_is_trusted')`select from studio where id = $1 and trusted and accepted_name is not null`
const discard = sql('profile_discard')`with ${listed('logo', 'accepted_logo', 'and accepted_name is not null')}
    update studio s set name = accepted_name, about = accepted_about, website = accepted_website,
      logo = s.accepted_logo, profile_note = '', ${turned}
      from old where s.id = old.id`
const reject = sql('profile_reject')`update studio set profile_rejected = profile, profile_note = $2 where id = $1`
const waitingOne = sql('profile_lock')`
  select s.id as studio, s.profile from studio s where s.uuid = $1 and ${isProfileWaiting} for update`
const waiting = sql('profiles_waiting')`
  select s.uuid as "studioId", s.slug, ${draftView} as draft, ${acceptedView} as accepted, s.profile,
      extract(epoch from s.profile_changed)::bigint::float8 as changed
    from studio s where ${isProfileWaiting} order by s.profile_changed, s.id limit 1000`

// the first approval accepts the profile, too: a reviewer who saw the old one has to look again
const turnFirst = sql('profile_turn_first')`
  update game set page = page + 1 where studio = $1 and state = 'in-review' and deleted is null
    and exists (select from studio where id = $1 and accepted_name is null)`

/** Draft and accepted profiles of studios. A given `on` is the transaction to use. */
export function studioProfileStore({ run, transaction }: Database) {
  /** Changes the draft; a trusted studio's change is public at once. */
  async function change(on: Run, query: typeof update, studio: number, ...rest: unknown[]): Promise<void> {
    await on(query, [studio, ...rest])
    await on(turnFirst, [studio])
    if ((await on(isTrusted, [studio])).length === 1) await on(accept, [studio])
  }

  return {
    update: (studio: number, { name, about, website }: Omit<ProfileView, 'logo'>): Promise<void> =>
      transaction((on) => change(on, update, studio, name, about, website)),
    /** @param storageKey null: none */
    setLogo: (studio: number, storageKey: string | null, on?: Run): Promise<void> =>
      on ? change(on, setLogo, studio, storageKey) : transaction((on) => change(on, setLogo, studio, storageKey)),
    /** Resets the draft to the accepted profile. */
    discard: (studio: number) => done(run(discard, [studio])),

    /** Accepts the profile with the first approved game; later games accept nothing. */
    acceptFirst: (on: Run, studio: number) => done(on(acceptFirst, [studio])),
    accept: (on: Run, studio: number) => done(on(accept, [studio])),
    reject: (on: Run, studio: number, note: string) => done(on(reject, [studio, note])),

    /** Locks a profile that waits for a decision. */
    lockWaiting: (on: Run, studioId: string) => first(on<{ studio: number; profile: number }>(waitingOne, [studioId])),
    /** Waiting profiles, the oldest first. */
    waiting: () => run<WaitingProfile>(waiting, []),
  }
}
