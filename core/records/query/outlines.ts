import { listOf, textsOf } from '../worker/jobs.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { piecesOf, smallBytes } from './present.ts'

/**
 * Bodies of statements to count results from: many of them, or large ones, without their further content, which takes up
 * to 0.4 s to read and is read in the worker thread. @throws Refusal 'unavailable'
 */
export async function outlines<Of extends { readonly body: string }>(
  work: HeavyWork,
  game: number,
  statements: readonly Of[],
): Promise<readonly Of[]> {
  const whole = statements.map(({ body }) => Buffer.from(body))
  if (whole.reduce((sum, { length }) => sum + length, 0) <= smallBytes) return statements
  const short: string[] = []
  for (const piece of piecesOf(whole))
    short.push(...listOf(await work.run('outline', game, textsOf(piece))).map((json) => json.toString()))
  return statements.map((one, n) => ({ ...one, body: short[n]! }))
}
