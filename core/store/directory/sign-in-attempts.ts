import { signInProviders as limits } from '../../../shared/limits.ts'
import type { Database } from '../database.ts'

/** A sign-in that is under way at a provider. */
export interface SignInAttempt {
  /** Of the provider. */
  readonly provider: number
  readonly redirectUri: string
  readonly nonce: string
  /** The secret of PKCE. */
  readonly verifier: string
  /** The page that is wanted after that. */
  readonly next: string
  /** The account to link; null: to sign in. */
  readonly account: number | null
}

const insert = {
  name: 'sign_in_attempt_insert',
  text: `insert into sign_in_attempt (state, browser, provider, redirect_uri, nonce, verifier, next, account, expires)
    select $1, $2, id, $4, $5, $6, $7, $8, now() + make_interval(secs => $9) from sign_in_provider where id = $3
      and (select count(*) from (select 1 from sign_in_attempt limit $10) of) < $10
    returning 1`,
}
const take = {
  name: 'sign_in_attempt_take',
  text: `delete from sign_in_attempt where state = $1 and browser = $2
    returning provider, redirect_uri as "redirectUri", nonce, verifier, next, account, expires < now() as over`,
}
const sweep = { name: 'sign_in_attempt_sweep', text: 'delete from sign_in_attempt where expires < now()' }

/** Sign-ins between the start and the return from the provider. */
export function signInAttemptStore({ run, essential }: Pick<Database, 'run' | 'essential'>) {
  return {
    /** False when too many are under way, or the provider is gone. */
    async add(state: Buffer, browser: Buffer, attempt: SignInAttempt): Promise<boolean> {
      const { provider, redirectUri, nonce, verifier, next, account } = attempt
      const values = [state, browser, provider, redirectUri, nonce, verifier, next, account]
      return (await essential(insert, [...values, limits.attemptSeconds, limits.attempts])).length === 1
    },
    /** Ends an attempt of this browser; undefined: there is none (any more). */
    async take(state: Buffer, browser: Buffer): Promise<SignInAttempt | undefined> {
      const [row] = await essential<SignInAttempt & { over: boolean }>(take, [state, browser])
      if (!row || row.over) return undefined
      return row
    },
    /** Forgets those that nobody finished. */
    sweep: async (): Promise<void> => void (await run(sweep, [])),
  }
}
