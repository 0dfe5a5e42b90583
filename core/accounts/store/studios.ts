import type { GetAccountResponse, Studio } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { freeSlug, slugOf } from '../../process/rules/slug.ts'
import type { OrganisationKind } from '../rules/roles.ts'
import { done, first, only, sql, type Database, type Run } from '../../process/database/database.ts'
import { acceptedView, isProfileChanged, isProfileWaiting, type ProfileView } from './studio-profiles.ts'

/** The public data of a studio. */
export type StudioProfile = Fields<Studio>

export interface StudioAccount
  extends
    StudioProfile,
    Pick<Fields<GetAccountResponse>, 'email' | 'reviewer' | 'changed' | 'waiting' | 'note' | 'suspended' | 'ends'> {
  readonly studio: number
  readonly kind: OrganisationKind
  /** The accepted, public profile; null: no game of the studio was approved. */
  readonly accepted: ProfileView | null
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

const columns = `s.id as studio, s.uuid as "studioId", s.kind, s.name, s.slug,
  s.about, s.website, coalesce(s.logo, '') as logo, ${acceptedView} as accepted, ${isProfileChanged} as changed,
  ${isProfileWaiting} as waiting, s.profile_note as note, s.trusted, s.suspended is not null as suspended,
  coalesce(o.email, '') as email, coalesce(o.reviewer, false) as reviewer,
  extract(epoch from s.created)::bigint::float8 as created,
  coalesce(extract(epoch from s.ends)::bigint, 0)::float8 as ends`
const from = `studio s left join lateral (
  select a.email, a.reviewer from member m join account a on a.id = m.account
  where m.studio = s.id and m.role = 'owner' order by m.joined, m.account limit 1) o on true`
const games = '(select count(*)::int from game g where g.studio = s.id and g.deleted is null) as games'
const account = (name: string, where: string) => sql(`studio_${name}`)`
  select ${columns} from ${from} where s.ended is null and ${where}`

const ownedBy = account(
  'owned_by',
  `s.id in (select m.studio from member m join account a on a.id = m.account where a.email = $1 and m.role = 'owner')`,
)
const byId = account('by_id', 's.id = $1')
const bySlug = account('by_slug', 's.slug = $1')
const byUuid = account('by_uuid', 's.uuid = $1')
const list = sql('studio_list')`
  select ${columns}, ${games} from ${from} where s.ended is null order by lower(s.name), s.id limit 1000`
const holdings = sql('studio_holdings')`select s.quotas, ${games} from studio s where s.id = $1`
const lockSlugs = sql('studio_lock_slugs')`select pg_advisory_xact_lock(2026, 3)`
const takenSlugs = sql('studio_slugs')`select slug from studio where slug = $1 or starts_with(slug, $1 || '-')`
const insert = sql('studio_insert')`insert into studio (name, slug, kind) values ($1, $2, $3) returning id`
const setQuota = sql('studio_set_quota')`update studio set quotas = case when $3::bigint is null then quotas - $2::text
      else quotas || jsonb_build_object($2::text, $3::bigint) end where id = $1`
const setTrusted = sql('studio_set_trusted')`update studio set trusted = $2 where id = $1`
/** Studios: the interface's developer accounts. */
export function studioStore({ run }: Database) {
  const one = (query: typeof byId, value: string | number) => first(run<StudioAccount>(query, [value]))
  return {
    /** The studios that the account with this e-mail address owns. */
    ownedBy: (email: string) => run<StudioAccount>(ownedBy, [email]),
    byId: (studio: number) => one(byId, studio),
    bySlug: (slug: string) => one(bySlug, slug),
    byUuid: (studioId: string) => one(byUuid, studioId),
    /** The accounts by name, 1,000 at most. */
    list: () => run<ListedStudio>(list, []),

    /** The number of its games, and the quotas that an admin changed. */
    holdings: (studio: number) => only(run<{ quotas: Record<string, unknown>; games: number }>(holdings, [studio])),

    /** Adds a studio or school without members. */
    async add(on: Run, name: string, kind: OrganisationKind): Promise<number> {
      const slug = slugOf(name, kind)
      await on(lockSlugs, [])
      const taken = await on<{ slug: string }>(takenSlugs, [slug])
      const free = freeSlug(slug, new Set(taken.map(({ slug }) => slug)))
      return (await on<{ id: number }>(insert, [name, free, kind]))[0]!.id
    },

    /** @param limit null: the default */
    setQuota: (studio: number, quota: string, limit: number | null) => done(run(setQuota, [studio, quota, limit])),
    setTrusted: (studio: number, trusted: boolean) => done(run(setTrusted, [studio, trusted])),
  }
}
