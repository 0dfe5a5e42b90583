import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { SettingError } from '../../shared/settings/kinds.ts'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { amount, list, table, time, wordOf } from '../show.ts'

const byEmail = { '<email>': 'e-mail address of the account' }
const byEither = { '<account>': 'e-mail address or id' }

export const commands = {
  list: command({
    about: 'list the accounts by e-mail address, 1,000 at most',
    examples: ['accounts list', "accounts list --json | jq -r '.accounts[].email'"],
    async run({ operator }) {
      const found = await operator.findAccounts({ limit: 1_000 })
      const text = table(found.accounts, 'There are no accounts yet.', {
        'e-mail': ({ email }) => email,
        studios: ({ studios }) => studios.map(({ slug, role }) => `${slug} (${wordOf(MemberRole, role)})`).join(', '),
        reviewer: ({ reviewer }) => reviewer,
        admin: ({ admin }) => admin,
        'last session (UTC)': ({ lastUsed }) => time(lastUsed),
        'since (UTC)': ({ created }) => time(created),
      })
      return { json: found, text }
    },
  }),
  show: command({
    about: 'show an account: its studios with its roles, rights and sessions',
    takes: byEmail,
    examples: ['accounts show ann@example.org'],
    async run({ operator }, { email }) {
      const own = email.trim().normalize('NFC').toLowerCase()
      const { accounts } = await operator.findAccounts({ find: own, limit: 1_000 })
      const account = accounts.find((one) => one.email === own)
      if (!account) throw new Failed('There is no account with this e-mail address: "accounts list" shows all.')
      const roles = account.studios.map(({ name, slug, role }) => `${slug}: ${wordOf(MemberRole, role)} of ${name}`)
      const text = list({
        'e-mail': account.email,
        id: account.accountId,
        verified: time(account.verified),
        since: time(account.created),
        studios: roles.join('\n') || 'none',
        'may own': amount(account.mayOwn, 'studio'),
        reviewer: account.reviewer,
        admin: account.admin,
        password: account.hasPassword ? 'yes' : 'none',
        sessions: `${account.sessions}${account.lastUsed > 0n ? `, the last one used ${time(account.lastUsed)}` : ''}`,
        suspended: time(account.suspended),
        'deleted on': time(account.ends),
      })
      return { json: account, text }
    },
  }),
  allow: command({
    about: 'set how many studios an account may own',
    takes: byEmail,
    options: { '--studios <number>': { about: 'studios that it may own, 1 to 1000', required: true } },
    examples: ['accounts allow ann@example.org --studios 2'],
    async run({ members }, given) {
      const { email } = given
      const studios = /^\d{1,4}$/.test(given.studios) ? Number(given.studios) : 0
      if (studios < 1 || studios > 1_000) throw new SettingError('--studios must be a number from 1 to 1000.')
      await members.allowStudios({ email, studios })
      return { json: { email, studios }, text: `${email} may own ${studios} studio${studios === 1 ? '' : 's'} now.` }
    },
  }),
  admin: command({
    about: 'let an account use the pages of operators',
    takes: byEmail,
    options: { '--off': 'end that right' },
    examples: ['accounts admin ann@example.org', 'accounts admin ann@example.org --off'],
    async run({ operator }, { email, off }) {
      const admin = !off
      await operator.setAdmin({ email, admin })
      return {
        json: { email, admin },
        text: `${email} can ${off ? 'no longer ' : ''}use the pages of operators${now(admin)}.`,
      }
    },
  }),
  reviewer: command({
    about: 'let an account review games of other studios',
    takes: byEmail,
    options: { '--off': 'end that right' },
    examples: ['accounts reviewer ann@example.org', 'accounts reviewer ann@example.org --off'],
    async run({ accounts }, { email, off }) {
      const reviewer = !off
      await accounts.setReviewer({ email, reviewer })
      return { json: { email, reviewer }, text: `${email} can ${off ? 'no longer ' : ''}review games${now(reviewer)}.` }
    },
  }),
  'reset-password': command({
    about: 'set a new password, show it once and end all sessions of the account',
    takes: byEmail,
    examples: ['accounts reset-password ann@example.org'],
    async run({ accounts }, { email }) {
      const { password } = await accounts.resetPassword({ email })
      const text =
        `New password of ${email}, shown only once: ${password}\nAll its sessions have ended. The studio should ` +
        `change this password.`
      return { json: { email, password }, text }
    },
  }),
  suspend: command({
    about: 'end the sessions of an account and let nobody sign in to it',
    takes: byEither,
    options: { '--yes': 'do not ask' },
    examples: ['accounts suspend ann@example.org'],
    async run(core, { account, yes }, session) {
      const accountId = await accountIdOf(core, account)
      await confirmed(session, yes, `End the sessions of ${account} and let nobody sign in to it?`)
      await core.operator.suspendAccount({ accountId, suspended: true })
      return { json: { accountId, suspended: true }, text: `Suspended: ${account}.` }
    },
  }),
  resume: command({
    about: 'lift the suspension of an account',
    takes: byEither,
    examples: ['accounts resume ann@example.org'],
    async run(core, { account }) {
      const accountId = await accountIdOf(core, account)
      await core.operator.suspendAccount({ accountId, suspended: false })
      return { json: { accountId, suspended: false }, text: `The suspension of ${account} is lifted.` }
    },
  }),
  'end-sessions': command({
    about: 'sign an account out everywhere',
    takes: byEither,
    examples: ['accounts end-sessions ann@example.org'],
    async run(core, { account }) {
      const accountId = await accountIdOf(core, account)
      const { sessions } = await core.operator.endAccountSessions({ accountId })
      return { json: { accountId, sessions }, text: `Ended ${amount(sessions, 'session')} of ${account}.` }
    },
  }),
  'reset-second-factor': command({
    about: 'remove app, passkeys and recovery codes of an account and end its sessions',
    takes: byEmail,
    examples: ['accounts reset-second-factor ann@example.org'],
    async run({ signIn }, { email }) {
      const { sessions } = await signIn.resetSecondFactor({ email })
      const text = `${email} signs in without a second factor now. Sessions that ended: ${sessions}.`
      return { json: { email, sessions }, text }
    },
  }),
}

const now = (is: boolean): string => (is ? ' now' : '')

/** @throws Failed */
async function accountIdOf({ operator }: CoreClient, named: string): Promise<string> {
  const { accounts } = await operator.findAccounts({ find: named })
  const account = accounts.find(({ email, accountId }) => [email, accountId].includes(named.toLowerCase()))
  if (!account) throw new Failed(`There is no account ${JSON.stringify(named)}: "accounts list" shows them.`)
  return account.accountId
}
