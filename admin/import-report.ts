import { appendFileSync } from 'node:fs'
import { Failed } from './failed.ts'
import type { FilterOptions } from './filter.ts'
import type { Totals } from './import-batches.ts'
import { number } from './progress.ts'
import type { Shown } from './show.ts'
import { lineOf } from './stored.ts'

/** The options of an import. */
export interface ImportOptions extends FilterOptions {
  readonly from?: string
  readonly auth?: string
  readonly xapiVersion?: string
  readonly state?: string
  readonly rejects?: string
  /** A folder (of a file's import); false: leave contents behind. */
  readonly attachments?: string | boolean
}

/** Appends what core refuses to a file, each with the reason; undefined: nothing is to be put aside. */
export function rejectsFile(path: string | undefined): ((statement: Uint8Array, why: string) => void) | undefined {
  if (path === undefined) return undefined
  return (statement, why) => appendFileSync(path, `{"refused":${JSON.stringify(why)},"statement":${lineOf(statement).toString().trimEnd()}}\n`)
}

/** What an import has done. @throws Failed when statements are there with another content */
export function finish(totals: Totals, more: { state?: string } = {}): Shown {
  const { stored, skipped, rejected, conflicts, conflictIds } = totals
  if (conflicts > 0) throw new Failed(`${number(stored)} statements were stored, but ${number(conflicts)} are there with another content and stay as they were: ${conflictIds.join(', ')}${conflicts > conflictIds.length ? ' …' : ''}`)
  const parts = [`${number(stored)} statements were stored`, `${number(skipped)} were there already`, ...(rejected > 0 ? [`${number(rejected)} were put aside`] : [])]
  return { json: { stored, skipped, rejected, ...more }, text: `${parts.join(', ')}.` }
}
