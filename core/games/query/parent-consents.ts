import { hashInvitation } from '../../accounts/access/invitation-codes.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { found, noLink } from '../access/school.ts'
import type { ConsentRule, ParentConsent } from '../store/parent-consents.ts'

/** Who agrees for the pupils of a school. */
export const getConsentRule = async ({ parentConsents }: Store, school: number): Promise<ConsentRule> =>
  (await parentConsents.rule(school)) ?? { parents: false, text: '', version: 0, changed: 0, changedBy: '' }

/** What was agreed and withdrawn for a pupil, newest first. @throws Refusal */
export async function listConsents(
  { parentConsents }: Store,
  { studio: school, role }: Developer,
  { classId, pupilId }: { readonly classId: string; readonly pupilId: string },
): Promise<ParentConsent[]> {
  const all = found(await parentConsents.list(school, classId, pupilId))
  return role === 'observer' ? all.map((one) => ({ ...one, parentName: '' })) : all
}

/** What the parent with this link agrees to, and what was said last. @throws Refusal */
export async function getParentConsent(
  store: Store,
  { code, senderIp }: { readonly code: string; readonly senderIp: string },
) {
  await store.portalLimits.requireFrom('play', senderIp)
  const of = await store.parentConsents.ofLink(hashInvitation(code))
  if (!of) throw noLink()
  const [rule, last] = await Promise.all([getConsentRule(store, of.school), store.parentConsents.last(of.pupil)])
  const { schoolName, pupilName, mayPlay } = of
  return {
    schoolName,
    pupilName,
    mayPlay,
    rule: { ...rule, changedBy: '' },
    ...(last && { last: { ...last, notedBy: '' } }),
  }
}
