import { hash, verify } from '@node-rs/argon2'
import { fairQueue } from '../concurrency/fair-queue.ts'
import { newSecret } from './secret.ts'

/**
 * Passwords by argon2id with 19 MiB and two passes (OWASP's first choice). One takes a core for 30 ms, so one at a time:
 * whoever tries passwords does not slow down what games send, and no sender keeps the others from theirs.
 */
export function passwords() {
  const queue = fairQueue({ concurrency: 1, concurrencyOfOne: 1, maxWaiting: 100, maxWait: 5_000, refusal: 'Too many sign in right now; try again in a moment.' })
  const nobodys = hash(newSecret())
  return {
    /** @param sender whose turn it is */
    hash: (password: string, sender: string): Promise<string> => queue.run(sender, () => hash(password)),
    /** Without a hash it takes the same time, so nobody learns who has an account. */
    async matches(password: string, passwordHash: string | undefined, sender: string): Promise<boolean> {
      const expected = passwordHash ?? (await nobodys)
      return (await queue.run(sender, () => verify(expected, password))) && passwordHash !== undefined
    },
  }
}

export type Passwords = ReturnType<typeof passwords>
