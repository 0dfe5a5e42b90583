import { ListStudiosResponseSchema } from '../../gen/lrs/v1/accounts_pb.js'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Session, Work } from '../session.ts'
import { table, time, type Shown } from '../show.ts'

export const listStudios: Work<object> = async (session) => {
  const found = await (await session.connect()).accounts.listStudios({})
  const rows = found.studios.map(({ studio, email, reviewer, trusted, games, created }) => [
    studio!.name,
    studio!.slug,
    email,
    reviewer ? 'yes' : '',
    trusted ? 'yes' : '',
    String(games),
    time(created),
  ])
  const text = table(
    ['name', 'slug', 'owner', 'reviewer', 'trusted', 'games', 'since (UTC)'],
    rows,
    'There are no studios yet.',
  )
  return { json: jsonOf(ListStudiosResponseSchema, found), text }
}

interface Decision {
  readonly changes: string
  readonly note?: string
}

export const approveProfile: Work<Decision> = (session, [slug], options) => decide(session, slug!, true, options)
export const rejectProfile: Work<Decision> = (session, [slug], options) => decide(session, slug!, false, options)

async function decide(
  session: Session,
  slug: string,
  approved: boolean,
  { changes, note = '' }: Decision,
): Promise<Shown> {
  const core = await session.connect()
  const { profiles } = await core.games.listReviews({})
  const studioId = profiles.find(({ studio }) => studio!.slug === slug)?.studio!.studioId
  if (studioId === undefined) {
    throw new Failed(`No profile of ${JSON.stringify(slug)} waits for a decision: "reviews list" shows all that wait.`)
  }
  await core.accounts.decideProfile({
    studioId,
    profile: /^\d{1,9}$/.test(changes) ? Number(changes) : 0,
    approved,
    note,
  })
  return { json: { studioId, approved }, text: `${approved ? 'Approved' : 'Rejected'}: the profile of ${slug}.` }
}

export const setTrusted: Work<{ off?: true }> = async (session, [email], { off }) => {
  const trusted = !off
  await (await session.connect()).accounts.setTrusted({ email, trusted })
  const text = trusted
    ? `Changes of ${email} to its profile and published games are public at once now.`
    : `Changes of ${email} to its profile and published games need a review again.`
  return { json: { email: email!, trusted }, text }
}
