import type { Prepared } from '../../xapi/prepare.ts'

/** The credential of a request, as it was when core looked it up. */
export interface Credentialed {
  readonly credential: number
  readonly credentialVersion: number
  readonly game: number
  /** The cell of the game, as it was then: a move changes the version, too. */
  readonly cell: number
  /** UUID of the session of its launch token. */
  readonly session?: string
}

/** A stored content that came with a statement. */
export interface Attached {
  /** Index of the statement in the batch. */
  readonly statement: number
  /** Id of the content: in a cell its own, outside also with the number of the cell (cells/attachments.ts). */
  readonly attachment: number
  readonly contentType: string
}

/** The statements of one request. */
export interface Batch extends Credentialed {
  readonly prepared: Prepared
  readonly attached?: readonly Attached[]
}
