import { hkdfSync, randomInt } from 'node:crypto'
import { createChallenge, verifySolution, type Payload } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { Problem } from '../../process/problem.ts'
import { hashSecret } from '../../process/secret.ts'

const validSeconds = 10 * 60
/** Work for the sender: each number that it tries takes one key derivation of `rounds` rounds. */
export interface Work {
  readonly rounds: number
  /** The number to be found is from `min` on and below `max`. */
  readonly numbers: { readonly min: number; readonly max: number }
}

/** Takes a browser one or two seconds. */
const usual: Work = { rounds: 2_000, numbers: { min: 500, max: 2_000 } }

/**
 * The proof of work of public forms (altcha).
 * @param signingKey the key of launch tokens; the keys of challenges are derived from it
 */
export function captcha(signingKey: Uint8Array, now: () => number = Date.now, { rounds, numbers }: Work = usual) {
  const derive = (use: string): string =>
    Buffer.from(hkdfSync('sha256', signingKey, '', `games-lrs captcha ${use}`, 32)).toString('hex')
  const secrets = { hmacSignatureSecret: derive('challenge'), hmacKeySignatureSecret: derive('solution') }
  return {
    /** JSON for the widget. */
    async challenge(): Promise<string> {
      const expiresAt = Math.floor(now() / 1000) + validSeconds
      const counter = randomInt(numbers.min, numbers.max)
      return JSON.stringify(
        await createChallenge({ algorithm: 'PBKDF2/SHA-256', cost: rounds, counter, deriveKey, expiresAt, ...secrets }),
      )
    },
    /** Checks a solution. Returns its hash, so that it counts once. @throws Problem */
    async solved(solution: string, path = 'solution'): Promise<{ hash: Buffer; expires: number }> {
      const { challenge, solution: found } = payloadOf(solution, path)
      const { verified, expired } = await verifySolution({ challenge, solution: found, deriveKey, ...secrets }).catch(
        () => ({ verified: false, expired: false }),
      )
      if (expired) throw new Problem(path, 'has expired: tick the box once more')
      if (!verified)
        throw new Problem(path, 'must be the solution of the puzzle: tick the box and wait until it is done')
      return { hash: hashSecret(String(challenge.signature)), expires: challenge.parameters.expiresAt! }
    },
  }
}

export type Captcha = ReturnType<typeof captcha>

function payloadOf(solution: string, path: string): Payload {
  try {
    const payload = JSON.parse(Buffer.from(solution, 'base64').toString('utf8')) as Payload
    if (typeof payload.challenge.parameters.expiresAt === 'number' && typeof payload.solution === 'object')
      return payload
  } catch {
    // refused below
  }
  throw new Problem(path, 'must be the solution of the puzzle: tick the box and wait until it is done')
}
