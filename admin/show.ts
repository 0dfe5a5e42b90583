import type { JsonValue, Message } from '@bufbuild/protobuf'
import { plain } from './plain.ts'
import { timeOf } from './stored.ts'

/** What a command answers: for programs and for people. */
export interface Shown {
  /** JSON, or a message of the contract. */
  readonly json: JsonValue | Message
  readonly text: string
  /** What is wrong with what is shown: the command has failed. */
  readonly fault?: string
}

/** What is shown of a value: true is `yes`, false is empty. */
export type Cell = string | number | bigint | boolean
const textOf = (cell: Cell): string => plain(typeof cell === 'boolean' ? (cell ? 'yes' : '') : String(cell))

/** Columns of equal width, by their heads; `none` stands for no rows. */
export function table<Row>(
  rows: readonly Row[],
  none: string,
  columns: Readonly<Record<string, (row: Row) => Cell>>,
): string {
  if (rows.length === 0) return none
  const texts = Object.entries(columns).map(([head, cell]) => {
    const cells = [head.toUpperCase(), ...rows.map((row) => textOf(cell(row)).replaceAll('\n', ' '))]
    const width = Math.max(...cells.map(({ length }) => length))
    return cells.map((text) => text.padEnd(width))
  })
  return texts[0]!
    .map((_, line) =>
      texts
        .map((column) => column[line])
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names beside values; what is empty is left out. */
export function list(
  entries: Readonly<Record<string, Cell>> | readonly (readonly [name: string, value: Cell])[],
): string {
  const all = Symbol.iterator in entries ? entries : Object.entries(entries)
  const there = all.map(([name, value]) => [name, textOf(value)] as const).filter(([, value]) => value !== '')
  const width = Math.max(...there.map(([name]) => name.length))
  return there
    .map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`)
    .join('\n')
}

/** Seconds since 1970 as `2026-11-21 04:30`, in UTC; 0: nothing. */
export const time = (seconds: bigint): string =>
  seconds === 0n ? '' : new Date(Number(seconds) * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** A value of an enum in words; empty: it is not set. @param gap between its words */
export const wordOf = (names: Readonly<Record<number, string>>, value: number, gap = '-'): string =>
  value === 0 ? '' : (names[value] ?? '').toLowerCase().replaceAll('_', gap)

export const number = (value: number | bigint): string => value.toLocaleString('en-US')

/** As `1 statement`, `2,000 statements`. */
export const amount = (value: number | bigint, one: string, many = `${one}s`): string =>
  `${number(value)} ${Number(value) === 1 ? one : many}`

/** As `1.5 GB`: units of 1024, as those of the limits. */
export function bytes(value: bigint | number): string {
  const units = [Number(value) === 1 ? 'byte' : 'bytes', 'KB', 'MB', 'GB', 'TB']
  let amount = Number(value)
  let unit = 0
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024
  return `${Number(amount.toFixed(amount < 10 ? 2 : 1))} ${units[unit]}`
}

/** Microseconds since 1970 as `2026-11-21 04:30:12.345678`, in UTC; 0: nothing. */
export const microTime = (micros: bigint): string =>
  micros === 0n ? '' : timeOf(micros).replace('T', ' ').slice(0, -1)
