import type { SignInProvider } from '../gen/lrs/v1/providers_pb.js'
import type { Portal } from './visit.ts'

const freshMs = 5_000
const read = new WeakMap<Portal, { at: number; providers: Promise<SignInProvider[]> }>()

/** The providers that sign-in pages offer, asked for every 5 seconds at most. Passwords work also without the answer. */
export function signInProviders(portal: Portal): Promise<SignInProvider[]> {
  const known = read.get(portal)
  if (known && performance.now() - known.at < freshMs) return known.providers
  const providers = portal.core.providers.listSignInProviders({}).then(
    (answer) => answer.providers,
    (error: unknown) => {
      portal.log.warn({ err: error }, 'the sign-in providers are not known')
      return []
    },
  )
  read.set(portal, { at: performance.now(), providers })
  return providers
}
