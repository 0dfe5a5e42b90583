import { hash } from 'node:crypto'
import type { Core } from '../context.ts'
import { Refusal } from '../refusal.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { emailAddress } from '../studio/email.ts'
import { senderOf } from '../studio/network.ts'
import { requireUsable } from '../studio/password.ts'
import { slugOf } from '../studio/slug.ts'
import { line, studioTexts } from '../studio/text.ts'
import { Problem } from '../xapi/problem.ts'
import { hashSecret, newSecret } from './secret.ts'

type Needs = Pick<Core, 'store' | 'passwords'>

export interface Session {
  readonly session: string
  /** Seconds since 1970. */
  readonly expires: number
}

const owner = (...parts: string[]): string => hash('sha256', JSON.stringify(parts))

/** Makes an account and signs it in. @throws Problem, Refusal */
export async function signUp(core: Needs, given: { email: string; password: string; studioName: string; senderIp: string }): Promise<Session> {
  const name = line(given.studioName, 'studio_name', studioTexts.name)
  const email = emailAddress(given.email)
  requireUsable(given.password, email)
  await core.store.portalLimits.require('sign-up-from', owner(senderOf(given.senderIp)))
  const passwordHash = await core.passwords.hash(given.password)
  const studio = await core.store.studios.add(email, passwordHash, name, slugOf(name, 'studio'))
  if (studio === undefined) throw new Problem('email', 'has an account already: sign in with it')
  return startSession(core, studio, passwordHash)
}

/** @throws Refusal 'unauthenticated', 'rate-limited' */
export async function signIn(core: Needs, given: { email: string; password: string; senderIp: string }): Promise<Session> {
  // Postgres has no text with U+0000: what is counted is what is looked up
  const email = given.email.replaceAll('\0', '\ufffd').trim().normalize('NFC').toLowerCase()
  const from = senderOf(given.senderIp)
  // the first limit that is used up spares the next
  await core.store.portalLimits.require('sign-in', owner(from, email))
  await core.store.portalLimits.require('sign-in-from', owner(from))
  await core.store.portalLimits.require('sign-in-at', owner(email))
  const account = await core.store.studios.byEmail(email)
  if (!(await core.passwords.matches(given.password, account?.passwordHash)) || !account) throw wrong()
  const { portalLimits } = core.store
  await portalLimits.forget('sign-in', owner(from, email))
  await portalLimits.giveBack('sign-in-from', owner(from))
  await portalLimits.giveBack('sign-in-at', owner(email))
  return startSession(core, account.studio, account.passwordHash)
}

/** Sets another password and ends the other sessions. @throws Problem, Refusal */
export async function changePassword(core: Needs, developer: Developer, currentPassword: string, password: string): Promise<void> {
  requireUsable(password, developer.email)
  await core.store.portalLimits.require('sign-in-at', owner(developer.email))
  const account = (await core.store.studios.byId(developer.studio))!
  if (!(await core.passwords.matches(currentPassword, account.passwordHash))) throw new Problem('current_password', 'must be the one of this account')
  const changed = await core.store.studios.setPassword(developer.studio, account.passwordHash, await core.passwords.hash(password), developer.session)
  if (!changed) throw changedMeanwhile()
  await core.store.portalLimits.giveBack('sign-in-at', owner(developer.email))
}

/** Gives an account a new password and ends its sessions; for admins. @throws Refusal 'not-found' */
export async function resetPassword(core: Needs, given: string): Promise<string> {
  const account = await core.store.studios.byEmail(emailAddress(given))
  if (!account) throw noAccount()
  const password = newSecret().slice(0, 20)
  if (!(await core.store.studios.setPassword(account.studio, account.passwordHash, await core.passwords.hash(password), null))) throw changedMeanwhile()
  return password
}

/** Says whether an account may review games; for admins. @throws Refusal 'not-found' */
export async function setReviewer({ store }: Needs, email: string, reviewer: boolean): Promise<void> {
  if (!(await store.studios.setReviewer(emailAddress(email), reviewer))) throw noAccount()
}

/** For whoever has proved to know the password of this hash; when it was changed since, that is worth nothing. */
async function startSession({ store }: Needs, studio: number, passwordHash: string): Promise<Session> {
  const session = newSecret()
  const expires = await store.studioSessions.start(studio, passwordHash, hashSecret(session))
  if (expires === undefined) throw wrong()
  return { session, expires }
}

const wrong = () => new Refusal('unauthenticated', 'The e-mail address or the password is wrong.')
const changedMeanwhile = () => new Refusal('conflict', 'The password was changed elsewhere meanwhile.')

const noAccount = () => new Refusal('not-found', 'There is no account with this e-mail address.')
