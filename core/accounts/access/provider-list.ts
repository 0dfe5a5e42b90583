import type { Store } from '../../store.ts'

/** A provider as a sign-in page shows it. */
export interface ShownProvider {
  readonly name: string
  readonly label: string
}

/** The providers for sign-in pages, read once in this time at most; there are few (shared/limits.ts). */
const freshMs = 5_000

/** Caches them, so that a page without any costs nothing. Changes of another core show after 5 seconds. */
export function providerList({ signInProviders }: Pick<Store, 'signInProviders'>, now = () => performance.now()) {
  let readAt = -Infinity
  let reading: Promise<ShownProvider[]> | undefined
  return {
    all(): Promise<ShownProvider[]> {
      if (!reading || now() - readAt > freshMs) {
        readAt = now()
        const own = (reading = signInProviders.labels())
        own.catch(() => reading === own && (reading = undefined))
      }
      return reading
    },
    /** The next call reads again. */
    forget: (): void => void (reading = undefined),
  }
}

export type ProviderList = ReturnType<typeof providerList>
