import { exact, exactRun, type Stored } from '../xapi/exact.ts'
import { formatter, type Form } from '../xapi/format.ts'
import { listOf, textsOf } from '../worker/jobs.ts'
import type { HeavyWork } from '../worker/worker.ts'

/** Up to these bytes core formats at once, in 3 ms at most: handing them to the worker thread takes longer. */
export const smallBytes = 64 * 1024
/** Bytes of a full piece; each piece is a job of its own. */
const pieceBytes = 256 * 1024

/** The JSON of stored statements, each with its `stored` time, in the form asked for. @throws Refusal 'unavailable' */
export async function present(
  work: HeavyWork,
  game: number,
  statements: readonly Stored[],
  form: Form,
): Promise<Buffer[]> {
  const whole = statements.map(exact)
  if (form.format === 'exact') return whole
  if (sizeOf(whole) <= smallBytes) {
    const format = formatter(form)
    return whole.map((json) => Buffer.from(format(json.toString())))
  }
  const formatted: Buffer[] = []
  for (const piece of piecesOf(whole))
    formatted.push(...listOf(await work.run('format', game, { texts: textsOf(piece), form })))
  return formatted
}

/** The same as one buffer, separated by commas. */
export async function presentRun(
  work: HeavyWork,
  game: number,
  statements: readonly Stored[],
  form: Form,
): Promise<Buffer> {
  if (form.format === 'exact') return exactRun(statements)
  const [first, ...others] = await present(work, game, statements, form)
  return first ? Buffer.concat([first, ...others.flatMap((one) => [comma, one])]) : Buffer.alloc(0)
}

const comma = Buffer.from(',')

export const sizeOf = (list: readonly Buffer[]) => list.reduce((sum, { length }) => sum + length, 0)

export function* piecesOf(list: readonly Buffer[]): Generator<Buffer[]> {
  let piece: Buffer[] = []
  for (const one of list) {
    piece.push(one)
    if (sizeOf(piece) < pieceBytes) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}
