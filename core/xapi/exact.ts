import { timestampOf } from './timestamp.ts'

/** JSON as it is stored, to which only `stored` is to be added; microseconds. */
export interface Stored {
  readonly body: string
  readonly stored: number
}

/** The end of a statement, in place of its last brace. */
const ending = (stored: number) => `,"stored":"${timestampOf(stored)}"}`
const endingBytes = ending(0).length
const comma = 0x2c

/** A statement in the format `exact`. */
export const exact = ({ body, stored }: Stored): string => body.slice(0, -1) + ending(stored)

/** Statements in the format `exact`, with commas between them: written where they belong at once, since pages are the most that is read. */
export function exactRun(statements: readonly Stored[]): Buffer {
  let size = statements.length * endingBytes - 1
  for (const { body } of statements) size += Buffer.byteLength(body)
  const run = Buffer.allocUnsafe(Math.max(0, size))
  let at = 0
  for (const { body, stored } of statements) {
    if (at > 0) run[at++] = comma
    at += run.write(body, at) - 1
    at += run.write(ending(stored), at, 'latin1')
  }
  return run
}
