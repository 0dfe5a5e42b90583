import { requireFresh } from '../access/developer.ts'
import { hashRecoveryCode, newRecoveryCodes, newTotpSecret, stepOf, totpAddress } from '../access/one-time-codes.ts'
import { created, creationOptions, requestOptions, siteOf } from '../access/passkeys.ts'
import { mayUsePassword } from '../access/passwords.ts'
import type { TicketPurpose } from '../access/tickets.ts'
import type { Core } from '../../context.ts'
import { factorChanged } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Person } from '../store/studio-sessions.ts'
import { keptAddress } from '../../process/rules/email.ts'
import { line } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import { attemptOf, noAccount, owner, requirePassword } from './accounts.ts'
import { challengeSeconds } from './finish-sign-in.ts'
import { requireProof, spend, type Proof, type ProofNeeds } from './prove.ts'

/** Passkeys of one account. */
export const mostPasskeys = 20
const passkeyName = { min: 1, max: 60 }

type RecoveryCodes = { readonly recoveryCodes: string[] }
/** Of the portal. */
type Page = { readonly origin: string }

/** Begins to set up an authenticator app. Within the hour it is the same secret again. @throws Refusal */
export async function beginTotp(
  { store, sealer }: ProofNeeds,
  person: Person,
): Promise<{ secret: string; address: string }> {
  requireFresh(person)
  const place = sealContextOf(person)
  await store.factors.beginTotp(person.account, sealer.seal(place, newTotpSecret()))
  const totp = await store.factors.totpOf(person.account)
  // removed from another page at this moment
  if (!totp) throw nothingToConfirm()
  if (totp.isConfirmed) throw new Refusal('conflict', 'The account has an authenticator app already: remove it first.')
  const secret = sealer.open(place, totp.secret)
  return { secret, address: await totpAddress(secret, person.email) }
}

/** The app counts from its first code on. Returns recovery codes if the account had none. @throws Problem, Refusal */
export async function confirmTotp(
  core: ProofNeeds,
  person: Person,
  { code }: { readonly code: string },
): Promise<RecoveryCodes> {
  requireFresh(person)
  const attempt = ofSecond(core, person)
  await attempt.count()
  const totp = await core.store.factors.totpOf(person.account)
  if (!totp || totp.isConfirmed) throw nothingToConfirm()
  const step = await stepOf(core.sealer.open(sealContextOf(person), totp.secret), code, Date.now())
  if (step === undefined)
    throw new Problem('code', 'is wrong: type the six digits that the app shows now, and check the clock of the phone')
  const codes = newRecoveryCodes()
  const hashes = hashesOf(person, codes)
  const confirmed = await core.store.factors.confirmTotp(person.account, totp.secret, step, person.session, hashes)
  if (!confirmed) throw nothingToConfirm()
  await attempt.succeed()
  await tell(core, person.account, 'An authenticator app was added')
  return { recoveryCodes: confirmed.areNew ? codes : [] }
}

/** @throws Refusal */
export async function removeTotp(core: ProofNeeds, person: Person): Promise<void> {
  requireFresh(person)
  if (!(await core.store.factors.removeTotp(person.account)))
    throw new Refusal('not-found', 'The account has no authenticator app.')
  await tell(core, person.account, 'The authenticator app was removed')
}

/** Ten new recovery codes; the old ones end. @throws Refusal */
export async function renewRecoveryCodes(core: ProofNeeds, person: Person): Promise<RecoveryCodes> {
  requireFresh(person)
  const codes = newRecoveryCodes()
  if (!(await core.store.factors.replaceCodes(person.account, hashesOf(person, codes))))
    throw new Refusal('conflict', 'Recovery codes come with a second factor: set one up first.')
  await tell(core, person.account, 'New recovery codes were made, and the old ones have ended')
  return { recoveryCodes: codes }
}

/** JSON for a browser that creates a passkey. @throws Problem, Refusal */
export async function beginPasskey(core: ProofNeeds, person: Person, { origin }: Page): Promise<{ options: string }> {
  requireFresh(person)
  const known = await core.store.factors.passkeysOf(person.account)
  if (known.length >= mostPasskeys) throw tooMany()
  const challenge = core.tickets.make('add a passkey', boundTo(person), '', challengeSeconds)
  return { options: await creationOptions(siteOf(origin), person, known, challenge) }
}

/** Returns recovery codes if the account had none. @throws Problem, Refusal */
export async function addPasskey(
  core: ProofNeeds,
  person: Person,
  given: Page & { readonly name: string; readonly passkey: string },
): Promise<RecoveryCodes> {
  requireFresh(person)
  const { store, tickets } = core
  const name = line(given.name, 'name', passkeyName)
  let challenge = ''
  const passkey = await created(siteOf(given.origin), given.passkey, (shown) => {
    challenge = shown
    return tickets.isValid('add a passkey', boundTo(person), shown)
  })
  await spend(store, tickets, challenge)
  const codes = newRecoveryCodes()
  const hashes = hashesOf(person, codes)
  const added = await store.factors.addPasskey(
    person.account,
    { ...passkey, name },
    mostPasskeys,
    person.session,
    hashes,
  )
  if (added === 'full') throw tooMany()
  if (added === 'taken') throw new Problem('passkey', 'was added before')
  await tell(core, person.account, `The passkey “${name}” was added`)
  return { recoveryCodes: added.areNew ? codes : [] }
}

/** @throws Refusal 'conflict' for the last way to sign in */
export async function removePasskey(
  core: ProofNeeds,
  person: Person,
  { passkeyId }: { readonly passkeyId: string },
): Promise<void> {
  requireFresh(person)
  const { factors, providerLinks } = core.store
  // the provider with which the account was made may be gone
  const isOnlyWay = (await providerLinks.ways(person.account)) === 0
  if (isOnlyWay && (await factors.of(person.account)).passkeys === 1)
    throw new Refusal('conflict', 'This is your only way to sign in: set a password or add another passkey first.')
  if (!(await core.store.factors.removePasskey(person.account, passkeyId)))
    throw new Refusal('not-found', 'The account has no such passkey (any more).')
  await tell(core, person.account, 'A passkey was removed')
}

/** JSON for a browser that proves with a passkey who uses the session. @throws Problem */
export async function beginConfirmation(
  core: ProofNeeds,
  person: Person,
  { origin }: Page,
): Promise<{ options: string }> {
  const known = await core.store.factors.passkeysOf(person.account)
  const challenge = core.tickets.make(ofSession, boundTo(person), '', challengeSeconds)
  return { options: await requestOptions(siteOf(origin), known, challenge) }
}

/**
 * The person of a session proves again who it is: with a second factor, or with the password while there is none.
 * @throws Problem, Refusal
 */
export async function confirm(core: ProofNeeds, person: Person, given: Proof & { password: string }): Promise<void> {
  if (person.hasFactor) {
    const attempt = ofSecond(core, person)
    await attempt.count()
    await requireProof(core, person, given, { purpose: ofSession, bound: boundTo(person) })
    await attempt.succeed()
  } else {
    const account = await requirePassword(core, person, given.password)
    // nothing was shown: the account signs in elsewhere, and its sign-in is fresh
    if (!mayUsePassword(core, account)) return
  }
  await core.store.factors.prove(person.session)
}

/** Removes every second factor of an account and ends its sessions; for admins. @throws Refusal 'not-found' */
export async function resetSecondFactor(
  core: Pick<Core, 'store' | 'notices'>,
  { email }: { readonly email: string },
): Promise<{ sessions: number }> {
  const account = await core.store.accounts.byEmail(keptAddress(email))
  if (!account) throw noAccount()
  const sessions = await core.store.factors.reset(account.account)
  await tell(core, account.account, 'The operator of the service has removed your second factors')
  return { sessions }
}

const tell = ({ notices }: Pick<Core, 'notices'>, account: number, what: string): Promise<unknown> =>
  notices.tell({ accounts: [account] }, 'security', factorChanged(what))

const ofSession: TicketPurpose = 'passkey of a session'
const boundTo = ({ session }: Person): string => session.toString('hex')
const sealContextOf = ({ account }: Person) => ({ table: 'totp', column: 'secret', row: account })
const hashesOf = ({ accountId }: Person, codes: readonly string[]): Buffer[] =>
  codes.map((code) => hashRecoveryCode(accountId, code)!)

const ofSecond = (core: ProofNeeds, person: Person) => attemptOf(core, 'sign-in-second-known', owner(boundTo(person)))

const nothingToConfirm = () => new Refusal('conflict', 'There is no authenticator app to confirm: start again.')
const tooMany = () =>
  new Refusal('conflict', `An account may have ${mostPasskeys} passkeys: remove one that is no longer used.`)
