import { Refusal } from '../../process/refusal.ts'
import { say } from '../../../shared/say.ts'

/** The launch token has expired. */
export class ExpiredToken extends Refusal {
  /** UUID of the sandbox session that it was minted for. */
  readonly sandbox?: string

  constructor(sandbox?: string) {
    super('unauthenticated', say`The launch token has expired.`)
    this.sandbox = sandbox
  }
}
