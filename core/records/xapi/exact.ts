import { timestampOf, writeTimestamp } from './timestamp.ts'

/** The stored JSON, complete but for `stored`, in microseconds. */
export interface Stored {
  readonly body: Buffer
  readonly stored: number
}

/** The end of a statement, in place of its last brace. */
const ending = Buffer.from(`,"stored":"${timestampOf(0)}"}`)
const place = ending.indexOf(timestampOf(0))
const comma = 0x2c

/** A statement in the format `exact`. */
export const exact = (statement: Stored): Buffer => exactRun([statement])

/**
 * Statements in the format `exact`, with commas between them. The bytes are copied once: pages are the most frequent
 * read.
 */
export function exactRun(statements: readonly Stored[]): Buffer {
  let size = statements.length * ending.length - 1
  for (const { body } of statements) size += body.length
  const run = Buffer.allocUnsafe(Math.max(0, size))
  let at = 0
  for (const { body, stored } of statements) {
    if (at > 0) run[at++] = comma
    at += body.copy(run, at) - 1
    writeTimestamp(ending, place, stored)
    run.set(ending, at)
    at += ending.length
  }
  return run
}
