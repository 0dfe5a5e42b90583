import type { SignInRequest, SignUpRequest } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { hash } from 'node:crypto'
import { knownLanguage } from '../../../shared/texts.ts'
import { findInvitation } from '../access/find-invitation.ts'
import { findStudio } from '../access/find-studio.ts'
import { mayUsePassword } from '../access/passwords.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import { passwordChanged, passwordReset, unknownBrowser } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Factors } from '../store/factors.ts'
import type { Run } from '../../process/database/database.ts'
import type { Person } from '../store/studio-sessions.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { deviceOf } from '../rules/device.ts'
import { emailAddress, keptAddress } from '../../process/rules/email.ts'
import { crowdOf, networksOf } from '../../process/rules/network.ts'
import { requireUsable } from '../rules/password.ts'
import { line, studioTexts } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import { countMail } from './may-mail.ts'
import type { OrganisationKind } from '../rules/roles.ts'
import { sendSignUp, type SignUpData } from './send-sign-up.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config'>

export interface StudioSession {
  readonly session: string
  /** Seconds since 1970. */
  readonly expires: number
}

export interface SignedIn extends StudioSession {
  /** What the browser keeps, so that it is known when it signs in again. */
  readonly known: string
}

/** The password was right, and a second factor has to follow. */
export interface HalfSignedIn extends Pick<Factors, 'totp' | 'passkeys'> {
  /** For FinishSignIn; valid for ten minutes. */
  readonly pending: string
}

/** Seconds that the second step of a sign-in may take. */
const secondStepSeconds = 10 * 60

export const owner = (...parts: string[]): string => hash('sha256', JSON.stringify(parts))

/**
 * Makes an account and its studio, and signs it in. Who is invited to a studio needs no studio of their own. Where
 * mails are sent, the link in one makes the account, and a sign-up shows nothing about other accounts.
 * @throws Problem, Refusal
 */
export async function signUp(
  core: Needs,
  given: Omit<Fields<SignUpRequest>, 'kind'> & { readonly kind: OrganisationKind },
): Promise<SignedIn | 'mailed'> {
  const isInvited = given.invitation !== ''
  const { kind } = given
  const language = knownLanguage(given.language)
  if (isInvited) await findInvitation(core.store, given.invitation)
  const [name, email] = checkAll(
    () => (isInvited ? '' : line(given.studioName, 'studio_name', studioTexts.name)),
    () => emailAddress(given.email),
    () => requireUsable(given.password, keptAddress(given.email)),
  )
  await core.store.portalLimits.requireFrom('sign-up-from', given.senderIp)
  const passwordHash = await core.passwords.hash(given.password, crowdOf(given.senderIp))
  if (core.notices.mail) {
    await countMail(core, { senderIp: given.senderIp })
    await sendSignUp(core, email, { passwordHash, name, kind, language })
    return 'mailed'
  }
  const account = await core.store.transaction((run) =>
    addAccount(core.store, run, email, { passwordHash, name, kind, language }),
  )
  return startSession(core, { account, email, passwordHash }, { userAgent: given.userAgent, isFirst: true })
}

/** Adds an account and, if it has a name, its studio or school. @throws Problem when the address has an account */
export async function addAccount(
  { accounts, members, studios }: Core['store'],
  run: Run,
  email: string,
  { passwordHash, name, kind, language }: SignUpData,
): Promise<number> {
  const account = await accounts.add(run, email, passwordHash, language)
  if (account === undefined) throw new Problem('email', 'has an account already: sign in with it')
  if (name !== '') await members.add(run, await studios.add(run, name, kind), account, 'owner')
  return account
}

/** @throws Refusal 'unauthenticated', 'rate-limited' */
export async function signIn(
  core: Needs,
  { email: given, password, senderIp, known, userAgent }: Fields<SignInRequest>,
): Promise<SignedIn | HalfSignedIn> {
  // Postgres cannot store U+0000; the attempt is counted for the same address that is looked up
  const email = keptAddress(given)
  const browser = core.browsers.browserOf(known, email)
  const attempt = browser === undefined ? ofStranger(core, email, senderIp) : ofKnown(core, owner(browser, email))
  await attempt.count()
  const account = await core.store.accounts.byEmail(email)
  const isRight = await core.passwords.matches(password, account?.passwordHash, browser ?? crowdOf(senderIp))
  if (!isRight || !account) throw wrong()
  await attempt.succeed()
  return firstStep(core, account, { userAgent, browser })
}

/** After a password, or the answer of a provider: starts a session unless the account has a second factor. */
export async function firstStep(
  core: Needs,
  account: Pick<Account, 'account' | 'email' | 'passwordHash'>,
  { userAgent, browser, isFirst = false }: Omit<Start, 'isProved'>,
): Promise<SignedIn | HalfSignedIn> {
  const { totp, passkeys } = await core.store.factors.of(account.account)
  if (!totp && passkeys === 0) return startSession(core, account, { userAgent, browser, isFirst })
  const text = JSON.stringify([account.account, browser ?? ''])
  const pending = core.tickets.make('second step', account.passwordHash ?? '', text, secondStepSeconds)
  return { pending, totp, passkeys }
}

/** How an attempt of a browser counts that nobody knows. The first limit that is used up spares the next. */
function ofStranger({ store: { portalLimits } }: Needs, email: string, senderIp: string) {
  const both = owner(networksOf(senderIp)[0], email)
  return {
    async count(): Promise<void> {
      await portalLimits.require('sign-in', both)
      await portalLimits.requireFrom('sign-in-from', senderIp)
      await portalLimits.require('sign-in-at', owner(email))
    },
    async succeed(): Promise<void> {
      await portalLimits.forget('sign-in', both)
      await portalLimits.giveBackFrom('sign-in-from', senderIp)
      await portalLimits.giveBack('sign-in-at', owner(email))
    },
  }
}

/** An attempt that counts until one succeeds. */
export const attemptOf = (
  { store: { portalLimits } }: Pick<Core, 'store'>,
  limit: 'sign-in-known' | 'sign-in-second' | 'sign-in-second-known',
  who: string,
) => ({
  count: (): Promise<void> => portalLimits.require(limit, who),
  succeed: (): Promise<void> => portalLimits.forget(limit, who),
})
/** Of a browser or session that is known to be of the account. */
const ofKnown = (core: Needs, who: string) => attemptOf(core, 'sign-in-known', who)

/** Sets another password and ends the other sessions. @throws Problem, Refusal */
export async function changePassword(
  core: Needs,
  person: Person,
  { currentPassword, password }: { readonly currentPassword: string; readonly password: string },
): Promise<void> {
  requireUsable(password, person.email)
  const account = await requirePassword(core, person, currentPassword, 'current_password')
  const changed = await core.store.accounts.setPassword(
    person.account,
    account.passwordHash,
    await core.passwords.hash(password, person.accountId),
    person.session,
  )
  if (!changed) throw changedMeanwhile()
  await core.notices.tell({ accounts: [person.account] }, 'security', passwordChanged)
}

/**
 * Makes sure that it is the account's owner who sits before an open session. Wrong passwords count as failed sign-ins.
 * @returns the account, for a change of its password
 * @throws Problem at `path`, Refusal
 */
export async function requirePassword(
  core: Needs,
  person: Person,
  password: string,
  path = 'password',
): Promise<Account> {
  const attempt = ofKnown(core, owner(person.session.toString('hex')))
  await attempt.count()
  const account = (await core.store.accounts.byId(person.account))!
  if (!mayUsePassword(core, account)) {
    if (!person.isFresh)
      throw new Refusal(
        'forbidden',
        'Sign out and sign in again first, because your account has no password to ask for.',
      )
  } else if (!(await core.passwords.matches(password, account.passwordHash, person.accountId)))
    throw new Problem(path, 'must be the one of this account')
  await attempt.succeed()
  return account
}

/** Gives an account a new password and ends its sessions; for admins. @throws Refusal 'not-found' */
export async function resetPassword(core: Needs, { email }: { readonly email: string }): Promise<{ password: string }> {
  const account = await core.store.accounts.byEmail(keptAddress(email))
  if (!account) throw noAccount()
  const password = newSecret().slice(0, 20)
  const hashed = await core.passwords.hash(password, 'admin')
  if (!(await core.store.accounts.setPassword(account.account, account.passwordHash, hashed, null)))
    throw changedMeanwhile()
  await core.notices.tell({ accounts: [account.account] }, 'security', passwordReset)
  return { password }
}

/** Says whether an account may review games; for admins. @throws Refusal 'not-found' */
export async function setReviewer(
  { store }: Needs,
  { email, reviewer }: { readonly email: string; readonly reviewer: boolean },
): Promise<void> {
  if (!(await store.accounts.setReviewer(keptAddress(email), reviewer))) throw noAccount()
}

/** Sets whether a studio's changes are public without review; for admins. @throws Refusal 'not-found' */
export async function setTrusted(
  { store }: Needs,
  { email, trusted }: { readonly email: string; readonly trusted: boolean },
): Promise<void> {
  await store.studios.setTrusted((await findStudio(store, email)).studio, trusted)
}

interface Start {
  readonly userAgent: string
  /** The id of a browser that is known at the account. */
  readonly browser?: string | undefined
  /** A second factor was shown. */
  readonly isProved?: boolean
  /** The account was just made. */
  readonly isFirst?: boolean
}

/**
 * Starts a session of an account whose password, or whatever stands for it, was checked. Fails if the password has
 * changed since, or if the account got a second factor that was not asked for.
 * @throws Refusal 'unauthenticated'
 */
export async function startSession(
  { store, browsers, notices }: Needs,
  { account, email, passwordHash }: Pick<Account, 'account' | 'email' | 'passwordHash'>,
  { userAgent, browser, isProved = false, isFirst = false }: Start,
): Promise<SignedIn> {
  const session = newSecret()
  const device = deviceOf(userAgent)
  const expires = await store.studioSessions.start(account, passwordHash, hashSecret(session), device, isProved)
  if (expires === undefined) throw wrong()
  if (browser === undefined && !isFirst)
    await notices.tell({ accounts: [account] }, 'security', unknownBrowser(new Date(), device))
  return { session, expires, known: browsers.mark(email, browser) }
}

const wrong = () => new Refusal('unauthenticated', 'The e-mail address or the password is wrong.')
const changedMeanwhile = () => new Refusal('conflict', 'The password was changed elsewhere meanwhile.')

export const noAccount = () =>
  new Refusal('not-found', 'There is no account with this e-mail address.', { subject: 'studio' })
