import { appendFileSync } from 'node:fs'
import type { JsonObject } from '@bufbuild/protobuf'
import { SettingError } from '../shared/settings/kinds.ts'
import { number } from './show.ts'
import type { Batch, Refused } from './import-batches.ts'
import type { ImportOptions } from './import-report.ts'
import { memberOf } from './json-spans.ts'
import { plain } from './plain.ts'
import { kinds, repairer, type Repair } from './repair.ts'

interface Mended {
  readonly original: Uint8Array
  readonly repairs: readonly Repair[]
}
/** How often something was repaired, and the first time. */
type Count = Repair & { count: number; statement: number }

/** Repairs the statements of an import if that is wanted, and tells what was repaired. */
export function repairing({ repair: homePage, extensionPrefix, report }: ImportOptions) {
  if (homePage === undefined && (extensionPrefix !== undefined || report !== undefined))
    throw new SettingError(`${report === undefined ? '--extension-prefix' : '--report'} needs --repair <home page>.`)
  const home = iriOf('--repair', homePage ?? 'https://home.example')
  const prefix = iriOf('--extension-prefix', extensionPrefix ?? `${home.replace(/\/$/, '')}/extensions/`)
  const repair = repairer({ homePage: home, extensionPrefix: prefix })
  const mended = new WeakMap<Uint8Array, Mended>()
  const counts = new Map<string, Count>()
  const tell = (lines: readonly object[]): void => {
    if (report !== undefined && lines.length > 0)
      appendFileSync(report, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  return {
    /** @param named the original with an id */
    repair(original: Uint8Array, named: Uint8Array): Uint8Array {
      if (homePage === undefined) return named
      const { statement, repairs } = repair(named)
      const id: Repair[] = named === original ? [] : [{ kind: 'id', path: 'id', from: 'null', to: idOf(named) }]
      mended.set(statement, { original: named, repairs: [...id, ...repairs] })
      return statement
    },

    /** What is refused as it came in. Without --repair it says whether that would help. */
    refused(refused: Refused): Refused {
      const { statement, place, why } = refused
      if (homePage === undefined) {
        const helps = repair(statement).repairs.some(({ path }) => path === refused.path)
        return helps ? { ...refused, why: `${why}; --repair <home page> repairs that` } : refused
      }
      tell([{ statement: place, refused: why }])
      const { original } = mended.get(statement)!
      mended.delete(statement)
      return { ...refused, statement: original }
    },

    /** Counts and tells what was repaired in a batch, once it is stored. */
    stored({ statements, before }: Batch): void {
      const repairs = statements.flatMap((bytes, index) =>
        (mended.get(bytes)?.repairs ?? []).map((one) => ({ bytes, statement: before + index + 1, ...one })),
      )
      for (const { bytes: _, ...first } of repairs) {
        const known = counts.get(first.kind)
        if (known) known.count++
        else counts.set(first.kind, { ...first, count: 1 })
      }
      tell(
        repairs.map(({ bytes, statement, kind, path, from, to }) => ({
          statement,
          id: JSON.parse(idOf(bytes)),
          kind,
          path,
          from: JSON.parse(from),
          to: JSON.parse(to),
        })),
      )
    },

    lines: (): string[] =>
      [...counts.values()].map(
        ({ kind, path, from, to, count, statement }) =>
          `${number(count)} × ${kinds[kind]}; first in statement ${number(statement)}, ${short(path)}: ${short(from)} → ${short(to)}`,
      ),

    json(): Record<string, JsonObject> {
      const told = [...counts].map(([kind, { count, statement, path }]) => [kind, { count, statement, path }] as const)
      return homePage === undefined ? {} : { repairs: Object.fromEntries(told) }
    },
  }
}

function iriOf(option: string, text: string): string {
  if (/^[a-z][a-z0-9+.-]*:[^\s"<>\\^`{|}]+$/i.test(text)) return text
  throw new SettingError(`${option} is ${JSON.stringify(text)}, but must be an IRI such as https://school.example.`)
}

const idOf = (statement: Uint8Array): string => Buffer.from(memberOf(statement, 'id') ?? 'null').toString()
const short = (text: string): string => plain(text.length > 120 ? `${text.slice(0, 119)}…` : text)
