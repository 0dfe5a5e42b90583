import type {
  FinishProviderSignInRequest,
  SignInProblem as Problems,
  StartProviderSignInRequest,
} from '../../../gen/lrs/v1/providers_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { hash } from 'node:crypto'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import type { OpenIdFailure, OpenIdResult } from '../../process/outgoing/openid-failure.ts'
import { Refusal } from '../../process/refusal.ts'
import type { SignInAttempt } from '../store/sign-in-attempts.ts'
import type { Person } from '../store/studio-sessions.ts'
import type { SignInProvider } from '../store/sign-in-providers.ts'
import { crowdOf } from '../../process/rules/network.ts'
import { Problem } from '../../process/problem.ts'
import { requirePassword } from './accounts.ts'
import { openIdClient } from './sign-in-providers.ts'
import type { NameIn } from '../../process/methods/enums.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config' | 'outgoing' | 'log'>

/** Why nobody is signed in: the contract's enum SignInProblem. */
export type SignInProblem = NameIn<typeof Problems>

/** Nobody is signed in. The page says why and what to do. */
export class SignInFailure extends Error {
  readonly problem: SignInProblem

  constructor(problem: SignInProblem) {
    super(`not signed in: ${problem}`)
    this.name = 'SignInFailure'
    this.problem = problem
  }
}

/** A browser that begins to sign in. */
export interface Beginning extends Fields<StartProviderSignInRequest> {
  /** The account to link; null: to sign in. */
  readonly account: number | null
}

/** The address at the provider to which the browser goes. @throws SignInFailure */
export async function startProviderSignIn(core: Needs, given: Beginning): Promise<string> {
  const { store } = core
  if (given.browser.length < 20) throw new Problem('browser', 'must be a secret of 20 characters or more')
  const provider = await store.signInProviders.byName(given.provider)
  if (!provider) throw new SignInFailure('no-provider')
  await unlessTooMany(store.portalLimits.requireFrom('sign-in-with', given.senderIp))
  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
  const { redirectUri, next, account } = given
  const parameters = {
    redirect_uri: redirectUri,
    scope: ['openid', ...provider.scopes].join(' '),
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }
  const address = await asked(core, provider, () =>
    core.outgoing.openIdAddress({ provider: openIdClient(core, provider), parameters }),
  )
  const crowd = crowdOf(given.senderIp)
  const attempt: SignInAttempt = { provider: provider.id, redirectUri, nonce, verifier, next, account, crowd }
  if (!(await isKept(core, hashSecret(state), hashSecret(given.browser), attempt))) throw new SignInFailure('too-many')
  return address
}

/** The same to link the provider to an account. @throws SignInFailure, Problem, Refusal */
export async function startProviderLink(
  core: Needs,
  person: Person,
  given: Omit<Beginning, 'next' | 'account'> & { password: string },
): Promise<string> {
  if (!(await core.store.signInProviders.byName(given.provider))) throw new SignInFailure('no-provider')
  await requirePassword(core, person, given.password)
  return startProviderSignIn(core, { ...given, next: '', account: person.account })
}

/** @throws SignInFailure in place of the refusal of a limit */
export async function unlessTooMany(count: Promise<void>): Promise<void> {
  await count.catch((error: unknown) => {
    throw error instanceof Refusal && error.reason === 'rate-limited' ? new SignInFailure('too-many') : error
  })
}

/** When all places are taken, the network that has the most gives one up: no network keeps others out. */
async function isKept(
  { store: { signInAttempts } }: Needs,
  ...attempt: Parameters<Core['store']['signInAttempts']['add']>
): Promise<boolean> {
  if (await signInAttempts.add(...attempt)) return true
  await signInAttempts.sweep()
  if (await signInAttempts.add(...attempt)) return true
  await signInAttempts.makeRoom()
  return signInAttempts.add(...attempt)
}

/** What came back with the browser from the provider. */
export type Return = Pick<Fields<FinishProviderSignInRequest>, 'provider' | 'redirectUri' | 'query' | 'browser'>

/**
 * The person that comes back from the provider, and what was begun. The attempt is over then, whatever comes of it.
 * Nobody else can use its state: it counts once, in the browser that began, at this provider's own address.
 * @throws SignInFailure
 */
export async function returned(core: Needs, given: Return) {
  const { store } = core
  const [state = '', ...more] = new URLSearchParams(given.query).getAll('state')
  const attempt =
    state === '' || more.length > 0 || given.browser === ''
      ? undefined
      : await store.signInAttempts.take(hashSecret(state), hashSecret(given.browser))
  const provider = attempt && (await store.signInProviders.byId(attempt.provider))
  if (!provider || provider.name !== given.provider || attempt.redirectUri !== given.redirectUri)
    throw new SignInFailure('over')
  const { nonce, verifier, redirectUri } = attempt
  const person = await asked(core, provider, () =>
    core.outgoing.openIdPerson({
      provider: openIdClient(core, provider),
      callback: `${redirectUri}?${given.query}`,
      groupClaim: provider.groupClaim,
      state,
      nonce,
      verifier,
    }),
  )
  // the longest that the standard allows; Postgres has no text with U+0000
  if (!/^\P{Cc}{1,255}$/u.test(person.subject)) throw new SignInFailure('not-accepted')
  return { provider, attempt, person }
}

const problems: Record<OpenIdFailure, SignInProblem> = {
  denied: 'denied',
  unreachable: 'unreachable',
  'not accepted': 'not-accepted',
}

/** Asks the provider. What goes wrong is logged, without codes and tokens. @throws SignInFailure */
async function asked<T>({ log }: Needs, { name }: SignInProvider, ask: () => Promise<OpenIdResult<T>>): Promise<T> {
  const result = await ask().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    return { failure: 'unreachable', detail: error.message } as const
  })
  if ('value' in result) return result.value
  const { failure, detail } = result
  log[failure === 'denied' ? 'info' : 'warn']({ provider: name, failure, detail }, 'a sign-in with a provider failed')
  throw new SignInFailure(problems[failure])
}
