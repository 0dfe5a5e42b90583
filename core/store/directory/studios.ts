import { freeSlug } from '../../studio/slug.ts'
import type { Database } from '../database.ts'
import { acceptedView, isProfileChanged, isProfileWaiting, type ProfileView } from './studio-profiles.ts'
import { endSessions } from './studio-sessions.ts'

/** The public data of a studio. */
export interface StudioProfile {
  /** UUID. */
  readonly studioId: string
  readonly name: string
  readonly slug: string
  readonly about: string
  readonly website: string
  /** Key in storage; empty: none. */
  readonly logo: string
}

export interface StudioAccount extends StudioProfile {
  readonly studio: number
  readonly email: string
  readonly passwordHash: string
  readonly reviewer: boolean
  /** The accepted, public profile; null: no game of the studio was approved. */
  readonly accepted: ProfileView | null
  /** Whether the profile differs from the accepted one. */
  readonly changed: boolean
  /** The change waits for a decision. */
  readonly waiting: boolean
  /** The note of the reviewer who rejected it; empty: none. */
  readonly note: string
  /** Changes of its profile and its published games need no review. */
  readonly trusted: boolean
  /** Seconds since 1970. */
  readonly created: number
}

/** An account in the list of all. */
export type ListedStudio = StudioAccount & {
  /** Drafts included. */
  readonly games: number
}

const columns = `s.id as studio, s.uuid as "studioId", s.email, s.password_hash as "passwordHash", s.name, s.slug,
  s.about, s.website, coalesce(s.logo, '') as logo, ${acceptedView} as accepted, ${isProfileChanged} as changed,
  ${isProfileWaiting} as waiting, s.profile_note as note, s.reviewer, s.trusted,
  extract(epoch from s.created)::bigint::float8 as created`
const games = '(select count(*)::int from game g where g.studio = s.id and g.deleted is null) as games'
const account = (name: string, where: string) => ({
  name: `studio_${name}`,
  text: `select ${columns} from studio s where ${where}`,
})

const byEmail = account('by_email', 's.email = $1')
const byId = account('by_id', 's.id = $1')
const bySlug = account('by_slug', 's.slug = $1')
const byUuid = account('by_uuid', 's.uuid = $1')
const list = {
  name: 'studio_list',
  text: `select ${columns}, ${games} from studio s order by lower(s.name), s.id limit 1000`,
}
const holdings = { name: 'studio_holdings', text: `select s.quotas, ${games} from studio s where s.id = $1` }
const lockSlugs = { name: 'studio_lock_slugs', text: 'select pg_advisory_xact_lock(2026, 3)' }
const takenSlugs = {
  name: 'studio_slugs',
  text: `select slug from studio where slug = $1 or starts_with(slug, $1 || '-')`,
}
const insert = {
  name: 'studio_insert',
  text: `insert into studio (email, password_hash, name, slug) values ($1, $2, $3, $4)
    on conflict (email) do nothing returning id`,
}
const setQuota = {
  name: 'studio_set_quota',
  text: `update studio set quotas = case when $3::bigint is null then quotas - $2::text
      else quotas || jsonb_build_object($2::text, $3::bigint) end where id = $1`,
}
const setReviewer = {
  name: 'studio_set_reviewer',
  text: 'update studio set reviewer = $2 where email = $1 returning id',
}
const setTrusted = { name: 'studio_set_trusted', text: 'update studio set trusted = $2 where email = $1 returning id' }
const setPassword = {
  name: 'studio_set_password',
  text: 'update studio set password_hash = $2 where id = $1 and password_hash = $3 returning id',
}

/** Accounts of studios. */
export function studioStore({ run, transaction }: Database) {
  const one = async (query: typeof byEmail, value: string | number): Promise<StudioAccount | undefined> =>
    (await run<StudioAccount & Record<string, unknown>>(query, [value]))[0]
  return {
    byEmail: (email: string) => one(byEmail, email),
    byId: (studio: number) => one(byId, studio),
    bySlug: (slug: string) => one(bySlug, slug),
    byUuid: (studioId: string) => one(byUuid, studioId),
    /** The accounts by name, 1,000 at most. */
    list: (): Promise<ListedStudio[]> => run<ListedStudio & Record<string, unknown>>(list, []),

    /** The number of its games, and the quotas that an admin changed. */
    holdings: async (studio: number) =>
      (await run<{ quotas: Record<string, unknown>; games: number }>(holdings, [studio]))[0]!,

    /** Adds an account; undefined when the e-mail address has one. */
    add: (email: string, passwordHash: string, name: string, slug: string): Promise<number | undefined> =>
      transaction(async (run) => {
        await run(lockSlugs, [])
        const taken = await run<{ slug: string }>(takenSlugs, [slug])
        const free = freeSlug(slug, new Set(taken.map(({ slug }) => slug)))
        return (await run<{ id: number }>(insert, [email, passwordHash, name, free]))[0]?.id
      }),

    /** @param limit null: the default */
    setQuota: async (studio: number, quota: string, limit: number | null): Promise<void> =>
      void (await run(setQuota, [studio, quota, limit])),
    /** False when there is no such account. */
    setReviewer: async (email: string, reviewer: boolean): Promise<boolean> =>
      (await run(setReviewer, [email, reviewer])).length === 1,

    /** False when there is no such account. */
    setTrusted: async (email: string, trusted: boolean): Promise<boolean> =>
      (await run(setTrusted, [email, trusted])).length === 1,

    /** Replaces the password and ends every session but `kept`; false when the password is not `before` any more. */
    setPassword: (studio: number, before: string, passwordHash: string, kept: Buffer | null): Promise<boolean> =>
      transaction(async (run) => {
        if ((await run(setPassword, [studio, passwordHash, before])).length === 0) return false
        await run(endSessions, [studio, kept])
        return true
      }),
  }
}
