import { randomUUID } from 'node:crypto'
import { noInvitation } from '../access/find-invitation.ts'
import { hashSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import { knownLanguage } from '../../../shared/texts.ts'
import { members as limits } from '../../../shared/limits.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Run } from '../../process/database/database.ts'
import type { Member } from '../store/members.ts'
import type { Told } from '../store/notices.ts'
import type { Developer, Person } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { emailAddress } from '../../process/rules/email.ts'
import { rolesOf, type MemberRole } from '../rules/roles.ts'
import { Problem } from '../../process/problem.ts'
import { requirePassword } from './accounts.ts'
import { countMail, mayGet } from './may-mail.ts'
import { teamNotices } from './team-notices.ts'
import { say } from '../../../shared/say.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config' | 'links' | 'notices'>

/** A link for one new member. */
export interface NewInvitation {
  readonly code: string
  /** The link was sent to the address. */
  readonly mailed: boolean
}

/**
 * Makes a link for one new member, and sends it where mails are sent. Only its hash is stored.
 * @throws Problem, Refusal
 */
export async function inviteMember(
  { store, links, notices }: Needs,
  { studio, studioId, accountId, kind }: Developer,
  role: MemberRole | undefined,
  given: string,
  senderIp: string,
  language: string,
): Promise<NewInvitation> {
  if (role === undefined || role === 'owner' || !rolesOf(kind).includes(role))
    throw new Problem(
      'role',
      say`must be ${rolesOf(kind).slice(0, 2).join(' or ')}: a member can be made an owner later`,
    )
  const email = given.trim() === '' ? '' : emailAddress(given)
  if (notices.mail && email !== '') await countMail({ store }, { account: accountId, senderIp })
  const invitationId = randomUUID()
  const code = links.tokenOf(invitationId)
  return store.transaction(async (run) => {
    const name = await store.members.lock(run, studio)
    await store.portalLimits.require('invite-member', studioId, run)
    if (!(await store.memberInvitations.add(run, { invitationId, studio, role, email }, hashSecret(code))))
      throw new Refusal(
        'quota-exceeded',
        `There are ${limits.invitations} open invitations: revoke some of them first.`,
      )
    const mailed = notices.mail && email !== '' && (await mayGet({ store }, 'invitation', email, run))
    if (mailed) {
      const text = { ...teamNotices.invited(name, role, limits.invitationDays), language: knownLanguage(language) }
      await notices.write(email, 'link', text, run, invitationId)
    }
    return { code, mailed }
  })
}

/** @throws Refusal 'not-found' */
export async function revokeMemberInvitation(
  { store }: Pick<Core, 'store'>,
  { studio }: Developer,
  { invitationId }: { readonly invitationId: string },
): Promise<void> {
  if (!(await store.memberInvitations.remove(studio, invitationId)))
    throw new Refusal('not-found', 'There is no such invitation any more: it was used, or it was revoked.')
}

/** Makes the account a member, and uses the invitation up. The session works for that studio from now on. */
export async function acceptInvitation(
  { store, notices }: Needs,
  person: Person,
  { code }: { readonly code: string },
): Promise<{ studioId: string }> {
  const codeHash = hashSecret(code)
  const { transaction, members, memberInvitations, studioSessions } = store
  return transaction(async (run) => {
    const studio = (await memberInvitations.byCode(codeHash, run))?.studio
    if (studio === undefined) throw noInvitation()
    const name = await members.lock(run, studio)
    // another transaction may have used it before it gave the lock free
    const invitation = await memberInvitations.byCode(codeHash, run)
    if (!invitation) throw noInvitation()
    if ((await members.count(run, studio)) >= limits.ofStudio)
      throw new Refusal('quota-exceeded', `The studio has ${limits.ofStudio} members, as many as it may have.`)
    if (!(await members.add(run, studio, person.account, invitation.role)))
      throw new Refusal(
        'conflict',
        say`You are a member of ${invitation.studioName} already. The invitation is still good.`,
      )
    await memberInvitations.use(run, codeHash)
    await notices.tell(owners(studio), 'team', teamNotices.joined(name, person.email, invitation.role), run)
    await studioSessions.switch(run, person, studio)
    return { studioId: invitation.studioId }
  })
}

/** Gives a member another role. What concerns owners asks for the password. @throws Problem, Refusal */
export async function setMemberRole(
  core: Needs,
  developer: Developer,
  accountId: string,
  role: MemberRole | undefined,
  password: string,
): Promise<void> {
  if (role === undefined || !rolesOf(developer.kind).includes(role))
    throw new Problem('role', say`must be ${rolesOf(developer.kind).join(', ')}`)
  await change(core, developer, accountId, password, role === 'owner', async (run, member, studio) => {
    if (role === member.role) return
    if (role === 'owner') await requireMayOwn(core.store, run, member.account, `${member.email} owns`)
    else await requireOtherOwner(core.store, run, developer.studio, member)
    await core.store.members.setRole(run, developer.studio, member.account, role)
    await core.notices.tell({ accounts: [member.account] }, 'team', teamNotices.role(studio, role), run)
  })
}

/** @throws Problem, Refusal */
export async function removeMember(
  core: Needs,
  developer: Developer,
  { accountId, password }: { readonly accountId: string; readonly password: string },
): Promise<void> {
  await change(core, developer, accountId, password, false, async (run, member, studio) => {
    await requireOtherOwner(core.store, run, developer.studio, member)
    await core.store.members.remove(run, developer.studio, member.account)
    await core.notices.tell({ accounts: [member.account] }, 'team', teamNotices.removed(studio), run)
  })
}

/** Makes another member an owner, and the owner a developer or teacher. @throws Problem, Refusal */
export async function handOver(
  core: Needs,
  developer: Developer,
  { accountId, password }: { readonly accountId: string; readonly password: string },
): Promise<void> {
  await change(core, developer, accountId, password, true, async (run, heir, studio) => {
    if (heir.account === developer.account) throw new Problem('account_id', 'must be another member')
    if (heir.role !== 'owner') await requireMayOwn(core.store, run, heir.account, `${heir.email} owns`)
    await core.store.members.setRole(run, developer.studio, heir.account, 'owner')
    // the heir may be about to delete their account
    await requireOtherOwner(core.store, run, developer.studio, { account: developer.account, role: 'owner' })
    await core.store.members.setRole(run, developer.studio, developer.account, rolesOf(developer.kind)[1]!)
    await core.notices.tell({ accounts: [heir.account] }, 'team', teamNotices.role(studio, 'owner'), run)
  })
}

/** The account is no member of its studio any more. @throws Refusal 'conflict' for the last owner */
export async function leaveStudio(
  { store, notices }: Needs,
  { studio, account, accountId, email }: Developer,
): Promise<void> {
  await store.transaction(async (run) => {
    const name = await store.members.lock(run, studio)
    const member = await store.members.find(studio, accountId, run)
    if (member) await requireOtherOwner(store, run, studio, member)
    await store.members.remove(run, studio, account)
    await notices.tell(owners(studio), 'team', teamNotices.left(name, email), run)
  })
}

const owners = (studio: number): Told => ({ studio, roles: ['owner'] })

/**
 * Changes one member while nobody else changes the studio's members.
 * @param isOwners it asks for the password whatever the member is
 */
async function change(
  core: Needs,
  developer: Developer,
  accountId: string,
  password: string,
  isOwners: boolean,
  apply: (run: Run, member: Member, studioName: string) => Promise<void>,
): Promise<void> {
  const { transaction, members } = core.store
  const seen = await members.find(developer.studio, accountId)
  if (!seen) throw noMember()
  if (isOwners || seen.role === 'owner') await requirePassword(core, developer, password)
  await transaction(async (run) => {
    const studioName = await members.lock(run, developer.studio)
    const [member, own] = [
      await members.find(developer.studio, accountId, run),
      await members.roleIn(developer.studio, developer.account, run),
    ]
    if (!member) throw noMember()
    if (member.role !== seen.role || own !== 'owner')
      throw new Refusal('conflict', 'The roles were changed meanwhile: look again.')
    await apply(run, member, studioName)
  })
}

/**
 * For a member who is no owner any more, if they were one: another owner stays. Open invitations end, since the person
 * who made a link could come back with it.
 */
async function requireOtherOwner(
  { members, memberInvitations }: Store,
  run: Run,
  studio: number,
  { account, role }: Pick<Member, 'account' | 'role'>,
): Promise<void> {
  if (role !== 'owner') return
  if (!(await members.hasOtherOwner(run, studio, account)))
    throw new Refusal('conflict', 'A studio needs an owner who stays. Make another member an owner first.')
  await memberInvitations.endAll(run, studio)
}

/** @param who begins the sentence that refuses it. @throws Refusal 'quota-exceeded' */
export async function requireMayOwn({ members }: Store, run: Run, account: number, who: string): Promise<void> {
  const { owned, mayOwn } = await members.lockOwned(run, account)
  if (owned < mayOwn) return
  throw new Refusal(
    'quota-exceeded',
    say`${who} ${owned === 1 ? 'a studio' : `${owned} studios`} already, as many as it may. The operator can allow more.`,
    { rule: 'limits#ownedStudios' },
  )
}

const noMember = () => new Refusal('not-found', 'There is no such member of the studio.')
