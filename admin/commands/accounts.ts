import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { FindAccountsResponseSchema, OperatedAccountSchema } from '../../gen/lrs/v1/operator_pb.js'
import { SettingError } from '../../shared/settings/kinds.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { list, table, time } from '../show.ts'

const yes = (is: boolean): string => (is ? 'yes' : '')
const roleName = (role: MemberRole): string => MemberRole[role].toLowerCase()

export const listAccounts: Work<object> = async (session) => {
  const found = await (await session.connect()).operator.findAccounts({ limit: 1_000 })
  const rows = found.accounts.map(({ email, studios, reviewer, admin, lastUsed, created }) => [
    email,
    studios.map(({ slug, role }) => `${slug} (${roleName(role)})`).join(', '),
    yes(reviewer),
    yes(admin),
    time(lastUsed),
    time(created),
  ])
  const text = table(
    ['e-mail', 'studios', 'reviewer', 'admin', 'last session (UTC)', 'since (UTC)'],
    rows,
    'There are no accounts yet.',
  )
  return { json: jsonOf(FindAccountsResponseSchema, found), text }
}

export const showAccount: Work<object> = async (session, [email]) => {
  const own = email!.trim().normalize('NFC').toLowerCase()
  const { accounts } = await (await session.connect()).operator.findAccounts({ find: own, limit: 1_000 })
  const account = accounts.find((one) => one.email === own)
  if (!account) throw new Failed('There is no account with this e-mail address: "accounts list" shows all.')
  const { studios, mayOwn, sessions } = account
  const text = list([
    ['e-mail', account.email],
    ['id', account.accountId],
    ['verified', time(account.verified)],
    ['since', time(account.created)],
    ['studios', studios.map(({ name, slug, role }) => `${slug}: ${roleName(role)} of ${name}`).join('\n') || 'none'],
    ['may own', `${mayOwn} studio${mayOwn === 1 ? '' : 's'}`],
    ['reviewer', yes(account.reviewer)],
    ['admin', yes(account.admin)],
    ['password', account.hasPassword ? 'yes' : 'none'],
    ['sessions', `${sessions}${account.lastUsed > 0n ? `, the last one used ${time(account.lastUsed)}` : ''}`],
    ['suspended', time(account.suspended)],
    ['deleted on', time(account.ends)],
  ])
  return { json: jsonOf(OperatedAccountSchema, account), text }
}

export const allowStudios: Work<{ studios: string }> = async (session, [email], { studios }) => {
  const most = /^\d{1,4}$/.test(studios) ? Number(studios) : 0
  if (most < 1 || most > 1_000) throw new SettingError('--studios must be a number from 1 to 1000.')
  await (await session.connect()).members.allowStudios({ email, studios: most })
  return {
    json: { email: email!, studios: most },
    text: `${email} may own ${most} studio${most === 1 ? '' : 's'} now.`,
  }
}

export const setReviewer: Work<{ off?: true }> = async (session, [email], { off }) => {
  const reviewer = !off
  await (await session.connect()).accounts.setReviewer({ email, reviewer })
  return {
    json: { email: email!, reviewer },
    text: `${email} ${reviewer ? 'can review games now.' : 'can no longer review games.'}`,
  }
}

export const resetPassword: Work<object> = async (session, [email]) => {
  const { password } = await (await session.connect()).accounts.resetPassword({ email })
  return {
    json: { email: email!, password },
    text:
      `New password of ${email}, shown only once: ${password}\nAll its sessions have ended. The studio should ` +
      `change this password.`,
  }
}

export const resetSecondFactor: Work<object> = async (session, [email]) => {
  const { sessions } = await (await session.connect()).signIn.resetSecondFactor({ email })
  const text = `${email} signs in without a second factor now. Sessions that ended: ${sessions}.`
  return { json: { email: email!, sessions }, text }
}
