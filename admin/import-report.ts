import { appendFileSync } from 'node:fs'
import type { JsonValue } from '@bufbuild/protobuf'
import { Failed } from './failed.ts'
import type { Values } from './command.ts'
import { filtered, ofGame, timed } from './filter.ts'
import type { Refused, Totals } from './import-batches.ts'
import { isJson } from './json-spans.ts'
import type { Session } from './session.ts'
import { amount, number, type Shown } from './show.ts'
import { lineOf } from './stored.ts'

/** The options of an import. */
export const imported = {
  ...ofGame,
  ...filtered,
  ...timed,
  '--from <url>': 'xAPI endpoint of the other store',
  '--auth <key:secret>': 'key and secret of the other store (safer: LRS_IMPORT_AUTH)',
  '--xapi-version <version>': { about: 'xAPI version of the other store', default: '1.0.3' },
  '--state <file>': 'file that keeps the position (default with --from: games-lrs-import-….json)',
  '--rejects <file>': 'write refused statements to this file, and continue',
  '--attachments <folder>': 'folder with contents of attachments, named by their hash (with a file)',
  '--repair <home-page>': 'repair faults of research traces; names become accounts of this home page',
  '--extension-prefix <iri>': 'with --repair: begins keys of extensions (default: <home-page>/extensions/)',
  '--report <file>': 'with --repair: write each repair to this file, one in each line',
  '--no-attachments': 'import without the contents of attachments',
} as const

export type ImportOptions = Values<typeof imported>

/** Appends what core refuses to a file, each with the reason; without a file the first one ends the import. */
export function refusals(path: string | undefined): (refused: Refused) => void {
  return ({ statement, place, why }) => {
    if (path === undefined)
      throw new Failed(
        `Statement ${number(place)} is refused: ${why} (--rejects <file> saves such statements there and continues)`,
      )
    const text = lineOf(statement).toString().trimEnd()
    const kept = isJson(statement) ? `"statement":${text}` : `"text":${JSON.stringify(text)}`
    appendFileSync(path, `{"refused":${JSON.stringify(why)},${kept}}\n`)
  }
}

/** Tells what an import has done. @throws Failed when statements are there with another content */
export async function finish(session: Session, totals: Totals, more: Record<string, JsonValue> = {}): Promise<Shown> {
  const { stored, skipped, rejected, conflicts, conflictIds } = totals
  const json = { stored, skipped, rejected, conflicts, conflictIds, ...more }
  const storedText = `${amount(stored, 'statement was', 'statements were')} stored`
  if (conflicts > 0 && session.json) await session.write(`${JSON.stringify(json, null, 2)}\n`)
  if (conflicts > 0)
    throw new Failed(
      `${storedText}, but ${amount(conflicts, 'exists', 'exist')} with different content and ${conflicts === 1 ? 'stays' : 'stay'} unchanged: ${conflictIds.join(', ')}${conflicts > conflictIds.length ? ' …' : ''}`,
    )
  const parts = [
    storedText,
    `${amount(skipped, 'was', 'were')} there already`,
    ...(rejected > 0 ? [`${amount(rejected, 'was', 'were')} put aside`] : []),
  ]
  return { json, text: `${parts.join(', ')}.` }
}
