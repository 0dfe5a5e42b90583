import type { Line } from './suite.ts'

const columns = ['shape', 'measure', 'at', 'ours', 'p50 / p99 ms', 'floor', 'p50 / p99 ms', 'ratio', 'goal', '']

/** The lines as a Markdown table that is aligned for reading, too. */
export function tableOf(lines: readonly Line[]): string {
  return aligned([columns, ...lines.map(rowOf)])
}

/** CPU of each process for each unit of the lines that know it, as a second table. */
export function cpuTableOf(lines: readonly Line[]): string {
  const known = lines.filter(({ cpu }) => cpu)
  if (known.length === 0) return ''
  const rows = known.map(({ shape = '', measure, size, cpu, floor }) => {
    const { gateway, core, mainThread, postgres, load } = cpu!
    const floors = floor?.cpu ? [floor.cpu.postgres, floor.cpu.load] : []
    return [
      shape,
      measure,
      sizeName(size),
      ...[gateway, core, mainThread, postgres, load].map(figure),
      ...['', ''].map((none, n) => (floors[n] === undefined ? none : figure(floors[n]))),
    ]
  })
  return `\nCPU, µs for each statement, page or request; the system counts in 10 ms, so rounds of less than a second are rough\n${aligned([['shape', 'measure', 'at', 'gateway', 'core', 'core: main thread', 'Postgres', 'clients', 'floor: Postgres', 'floor: client'], ...rows])}\n`
}

function aligned(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)))
  const text = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  text.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
  return text.join('\n')
}

function rowOf(line: Line): string[] {
  const { shape = '', measure, size, unit, value, floor, ratio, goal } = line
  return [
    shape,
    measure,
    sizeName(size),
    `${figure(value)} ${unit}`,
    times(line),
    floor ? `${figure(floor.value)} (${floor.name})` : '',
    floor ? times(floor) : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    goal ? (goal.atLeast === undefined ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`) : '',
    goal ? (isMet(line) ? 'ok' : 'SHORT') : '',
  ]
}

/** Whether the line reaches its goal; true when it has none. */
export function isMet({ value, ratio = value, goal }: Line): boolean {
  return !goal || (ratio >= (goal.atLeast ?? -Infinity) && ratio <= (goal.atMost ?? Infinity))
}

function sizeName(size: number): string {
  if (size >= 1_000_000) return `${size / 1_000_000} M`
  return size >= 1_000 ? `${size / 1_000} k` : String(size)
}

function times({ p50, p99 }: { p50?: number; p99?: number }): string {
  return p50 === undefined || p99 === undefined ? '' : `${p50.toFixed(2)} / ${p99.toFixed(2)}`
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}
