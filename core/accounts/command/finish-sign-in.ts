import { requestOptions, siteOf } from '../access/passkeys.ts'
import type { TicketPurpose } from '../access/tickets.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Account } from '../store/accounts.ts'
import { parse } from '../../records/xapi/json.ts'
import { attemptOf, owner, startSession, type SignedIn } from './accounts.ts'
import { passkeyUsed, requireProof, type Proof, type ProofNeeds } from './prove.ts'

/** Seconds that a challenge of a passkey is valid. */
export const challengeSeconds = 5 * 60

/**
 * Ends a sign-in with a second factor.
 * @param tell called with the account whose password was right
 * @throws Problem, Refusal
 */
export async function finishSignIn(
  core: ProofNeeds,
  { pending, userAgent, ...proof }: Proof & { pending: string; userAgent: string },
  tell: (account: Account) => void,
): Promise<SignedIn> {
  const { account, browser } = await halfSignedIn(core, pending)
  tell(account)
  const attempt = ofSecond(core, account, browser)
  await attempt.count()
  await requireProof(core, account, proof, { purpose: 'passkey of a guest', bound: pending })
  await attempt.succeed()
  return startSession(core, account, { userAgent, browser, isProved: true })
}

/** Signs in with a passkey alone: it knows the account, and has verified its user. @throws Problem, Refusal */
export async function signInWithPasskey(
  core: ProofNeeds,
  {
    passkey,
    origin,
    binding,
    senderIp,
    userAgent,
    known,
  }: Omit<Proof, 'code'> & {
    binding: string
    senderIp: string
    userAgent: string
    known: string
  },
  tell: (account: Account) => void,
): Promise<SignedIn> {
  await core.store.portalLimits.requireFrom('sign-in-from', senderIp)
  const proof = { code: '', passkey, origin }
  const { account: id } = await passkeyUsed(core, proof, { purpose: 'passkey of a guest', bound: binding })
  await core.store.portalLimits.giveBackFrom('sign-in-from', senderIp)
  const account = (await core.store.accounts.byId(id))!
  tell(account)
  return startSession(core, account, {
    userAgent,
    browser: core.browsers.browserOf(known, account.email),
    isProved: true,
  })
}

/**
 * JSON for a browser that signs in with a passkey: with one of the account whose password was right, or with any.
 * @param pending empty: no password was shown. @param binding what the browser keeps until it answers
 */
export async function beginPasskeySignIn(
  core: ProofNeeds,
  { origin, pending, binding }: { origin: string; pending: string; binding: string },
): Promise<string> {
  const site = siteOf(origin)
  const known =
    pending === '' ? [] : await core.store.factors.passkeysOf((await halfSignedIn(core, pending)).account.account)
  const purpose: TicketPurpose = 'passkey of a guest'
  return requestOptions(site, known, core.tickets.make(purpose, pending || binding, '', challengeSeconds))
}

/** The account whose password was right. @throws Refusal 'unauthenticated' */
async function halfSignedIn(
  { tickets, store }: Pick<Core, 'tickets' | 'store'>,
  pending: string,
): Promise<{ account: Account; browser: string | undefined }> {
  const [id, browser] = textOf(tickets.peek(pending).text)
  const account = await store.accounts.byId(id)
  // a password that was changed meanwhile ends it
  if (!account || !tickets.isValid('second step', account.passwordHash ?? '', pending))
    throw new Refusal('unauthenticated', 'Start again: the second step has to follow within ten minutes.')
  return { account, browser: browser || undefined }
}

/** Nobody has checked it yet. */
function textOf(text: string): [account: number, browser: string] {
  try {
    const [account, browser] = parse(text) as [unknown, unknown]
    if (Number.isInteger(account) && Math.abs(Number(account)) < 2 ** 31) return [Number(account), String(browser)]
  } catch {
    // no account has the number 0
  }
  return [0, '']
}

/** Wrong factors of a browser that is known at the account are counted apart, so that others cannot lock it out. */
const ofSecond = (core: ProofNeeds, { accountId }: Account, browser: string | undefined) =>
  attemptOf(core, browser === undefined ? 'sign-in-second' : 'sign-in-second-known', owner(accountId, browser ?? ''))
