import type { Logger } from 'pino'
import type { SignInProvider } from '../../gen/lrs/v1/providers_pb.js'
import type { CoreClient } from './core-client.ts'

export interface SignInWays {
  readonly providers: readonly SignInProvider[]
  /** There are no passwords. */
  readonly only: boolean
}

interface Asking {
  readonly core: Pick<CoreClient, 'providers'>
  readonly log: Logger
}

const freshMs = 5_000
const read = new WeakMap<Asking, { at: number; ways: Promise<SignInWays> }>()

/** What sign-in pages offer, asked for every 5 seconds at most. Passwords work also without the answer. */
export function signInWays(portal: Asking): Promise<SignInWays> {
  const known = read.get(portal)
  if (known && performance.now() - known.at < freshMs) return known.ways
  const ways = portal.core.providers.listSignInProviders({}).then(
    ({ providers, only }) => ({ providers, only }),
    (error: unknown) => {
      portal.log.warn({ err: error }, 'the sign-in providers are not known')
      return { providers: [], only: false }
    },
  )
  read.set(portal, { at: performance.now(), ways })
  return ways
}
