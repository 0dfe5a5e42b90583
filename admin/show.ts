import type { JsonValue } from '@bufbuild/protobuf'
import { BuildKind, GameState } from '../gen/lrs/v1/games_pb.js'
import { plain } from './plain.ts'
import { timeOf } from './stored.ts'

/** What a command answers: for programs and for people. */
export interface Shown {
  readonly json: JsonValue
  readonly text: string
}

/** Columns of equal width with a head; `none` stands for no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none
  const lines = [
    head.map((name) => name.toUpperCase()),
    ...rows.map((row) => row.map((cell) => plain(cell).replaceAll('\n', ' '))),
  ]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names beside values; what is empty is left out. */
export function list(entries: readonly (readonly [name: string, value: string])[]): string {
  const there = entries.filter(([, value]) => value !== '')
  const width = Math.max(...there.map(([name]) => name.length))
  return there
    .map(([name, value]) => `${name.padEnd(width)}  ${plain(value).replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`)
    .join('\n')
}

/** Seconds since 1970 as `2026-11-21 04:30`, in UTC; 0: nothing. */
export const time = (seconds: bigint): string =>
  seconds === 0n ? '' : new Date(Number(seconds) * 1000).toISOString().slice(0, 16).replace('T', ' ')

const words = (names: Record<number, string>, value: number) => (names[value] ?? '').toLowerCase().replaceAll('_', '-')
export const stateName = (state: GameState): string => (state === GameState.UNSPECIFIED ? '' : words(GameState, state))
export const kindName = (kind: BuildKind): string => (kind === BuildKind.UNSPECIFIED ? '' : words(BuildKind, kind))

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
