import type { Key } from '../../records/xapi/identify.ts'
import type { Statement } from '../../records/xapi/types.ts'

/** A statement as it counts: its place and keys, and its JSON. */
export interface Countable {
  /** Microseconds. */
  readonly stored: number
  readonly actor: Key
  readonly verb: Key
  /** Of its object, if that is an Activity. */
  readonly activity: Key | null
  readonly statement: Statement
}

/** A statement in its turn. */
export interface Turn extends Countable {
  readonly registration: string | null
  /** Number of the build that sent it; 0: not known. */
  readonly build: number
  /** It was voided before it came. */
  readonly retracted: boolean
  /** It is voided by now. */
  readonly voided: boolean
  readonly voiding: boolean
  /** The statement before it that it voids. */
  readonly voids?: Countable
}
