import { hash, verify } from '@node-rs/argon2'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import type { Config } from '../../process/config/config.ts'
import type { Account } from '../store/accounts.ts'
import { newSecret } from '../../process/secret.ts'

/**
 * Hashes passwords by argon2id with 19 MiB and two passes (OWASP's first choice). A hash takes a processor 30 ms, so
 * one runs at a time. The fair queue keeps one sender from delaying the others.
 * @param work less than that, for tests
 */
export function passwords(work?: { memoryCost: number; timeCost: number }) {
  const queue = fairQueue({
    concurrency: 1,
    concurrencyOfOne: 1,
    maxWaiting: 100,
    maxWait: 5_000,
    refusal: 'Too many people are signing in right now; try again in a moment.',
  })
  const nobodys = hash(newSecret(), work)
  return {
    /** @param sender owner in the fair queue */
    hash: (password: string, sender: string): Promise<string> => queue.run(sender, () => hash(password, work)),
    /** Takes the same time without a hash, so nobody learns which accounts exist. */
    async matches(password: string, passwordHash: string | null | undefined, sender: string): Promise<boolean> {
      const expected = passwordHash || (await nobodys)
      return (await queue.run(sender, () => verify(expected, password))) && Boolean(passwordHash)
    },
  }
}

export type Passwords = ReturnType<typeof passwords>

/** Whether the account has a password that counts here. */
export const mayUsePassword = (
  { config }: { readonly config: Pick<Config, 'signIn'> },
  { passwordHash }: Pick<Account, 'passwordHash'>,
): boolean => passwordHash !== null && config.signIn !== 'provider'
