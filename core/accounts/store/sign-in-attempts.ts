import { signInProviders as limits } from '../../../shared/limits.ts'
import { done, sql, type Database } from '../../process/database/database.ts'

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
  /** The network that it comes from. */
  readonly crowd: string
}

const insert = sql('sign_in_attempt_insert')`insert into sign_in_attempt
      (state, browser, provider, redirect_uri, nonce, verifier, next, account, crowd, expires)
    select $1, $2, id, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10) from sign_in_provider where id = $3
      and (select count(*) from (select 1 from sign_in_attempt limit $11) of) < $11
    returning 1`
const take = sql('sign_in_attempt_take')`delete from sign_in_attempt where state = $1 and browser = $2
    returning provider, redirect_uri as "redirectUri", nonce, verifier, next, account, expires < now() as over`
const sweep = sql('sign_in_attempt_sweep')`delete from sign_in_attempt where expires < now()`
const makeRoom = sql('sign_in_attempt_make_room')`
  delete from sign_in_attempt where state = (select state from sign_in_attempt
    where crowd = (select crowd from sign_in_attempt group by crowd order by count(*) desc, min(expires) limit 1)
    order by expires limit 1)`

/** Sign-ins between the start and the return from the provider. */
export function signInAttemptStore({ run, essential }: Pick<Database, 'run' | 'essential'>) {
  return {
    /** False when too many are under way, or the provider is gone. */
    async add(state: Buffer, browser: Buffer, attempt: SignInAttempt): Promise<boolean> {
      const { provider, redirectUri, nonce, verifier, next, account, crowd } = attempt
      const values = [state, browser, provider, redirectUri, nonce, verifier, next, account, crowd]
      return (await essential(insert, [...values, limits.attemptSeconds, limits.attempts])).length === 1
    },
    /** Ends an attempt of this browser; undefined: there is none (any more). */
    async take(state: Buffer, browser: Buffer): Promise<SignInAttempt | undefined> {
      const [row] = await essential<SignInAttempt & { over: boolean }>(take, [state, browser])
      if (!row || row.over) return undefined
      return row
    },
    /** Forgets those that nobody finished. */
    sweep: () => done(run(sweep, [])),
    /** Ends the oldest attempt of the network that has the most. */
    makeRoom: () => done(run(makeRoom, [])),
  }
}
