import { schools as limits } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import { requireRole } from '../../accounts/access/developer.ts'
import { hashInvitation, newInvitationCode } from '../../accounts/access/invitation-codes.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { learnerName, line, paragraphs, parentsText } from '../../process/rules/text.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { found, noLink } from '../access/school.ts'
import { leave, type Asking } from './school-classes.ts'

type Stored = Pick<Core, 'store'>
type OfPupil = { readonly classId: string; readonly pupilId: string }
type Erasing = { readonly erase: boolean }
type ByLink = { readonly code: string; readonly senderIp: string }

/** Sets who agrees for the pupils of the school. @throws Problem, Refusal */
export async function setConsentRule(
  { store }: Stored,
  who: Developer,
  { parents, text: given }: { readonly parents: boolean; readonly text: string },
): Promise<void> {
  // the owner of a studio has no pupils
  requireRole(who, 'teacher')
  const text = parents || given.trim() !== '' ? paragraphs(given, 'text', parentsText) : ''
  if (!(await store.parentConsents.setRule(who.studio, who.account, parents, text)))
    throw new Refusal(
      'quota-exceeded',
      say`The school has changed this ${limits.consentRules} times, as often as it may.`,
    )
}

/** Links for parents, in the order of the names of their pupils. @throws Refusal */
export async function makeParentLinks(
  { store }: Stored,
  { studio: school }: Developer,
  { classId, pupilIds }: { readonly classId: string; readonly pupilIds: readonly string[] },
): Promise<{ links: { pupilId: string; name: string; code: string }[] }> {
  found(await store.schoolClasses.get(school, classId))
  const ids = pupilIds.length > 0 ? pupilIds : await store.parentConsents.lacking(school, classId)
  const codes = new Map(ids.filter(isUuid).map((id) => [id.toLowerCase(), newInvitationCode()]))
  const hashes = Array.from(codes, ([id, code]) => ({ id, hash: hashInvitation(code) }))
  const made = await store.parentConsents.makeLinks(school, classId, hashes)
  return { links: made.map(({ id, name }) => ({ pupilId: id, name, code: codes.get(id)! })) }
}

/** Keeps what a parent said on paper. @throws Refusal */
export async function noteConsent(
  core: Asking,
  { studio: school, account }: Developer,
  { classId, pupilId, agreed, erase }: OfPupil & Erasing & { readonly agreed: boolean },
): Promise<void> {
  const said = { agreed, parent: '', account }
  const erased = leave(core, school, { erase: erase && !agreed })
  if (!found(await core.store.parentConsents.note(school, classId, pupilId, said, erased))) throw noText()
}

/** Keeps that a parent agrees. @throws Problem, Refusal */
export async function giveParentConsent(
  { store }: Stored,
  { code, senderIp, version, parentName }: ByLink & { readonly version: number; readonly parentName: string },
): Promise<void> {
  await store.portalLimits.requireFrom('play', senderIp)
  const said = { agreed: true, parent: line(parentName, 'parent_name', learnerName), account: null }
  const isKept = await store.parentConsents.sayByLink(hashInvitation(code), said, () => async () => {}, version)
  if (isKept === undefined) throw noLink()
  if (!isKept) throw new Problem('version', 'is not that of the text of now: read the text again')
}

/** Keeps that a parent agrees no longer. @throws Refusal */
export async function withdrawParentConsent(core: Asking, { code, senderIp, erase }: ByLink & Erasing): Promise<void> {
  await core.store.portalLimits.requireFrom('play', senderIp)
  const said = { agreed: false, parent: '', account: null }
  const erased = (school: number) => leave(core, school, { erase })
  const isKept = await core.store.parentConsents.sayByLink(hashInvitation(code), said, erased)
  if (isKept === undefined) throw noLink()
  if (!isKept) throw noText()
}

const noText = () => new Refusal('conflict', 'The school has no text for parents yet.')
