import { monthAfter, monthOf } from '../../../process/rules/months.ts'

/** Days or the first days of months, both included. */
export interface Period {
  readonly wholeMonth: boolean
  readonly from: number
  readonly to: number
}

/** A range of days as whole months and the days before and after them. */
export function periodsOf(from: number, to: number): Period[] {
  const first = monthOf(from) === from ? from : monthAfter(monthOf(from))
  let next = first
  while (monthAfter(next) - 1 <= to) next = monthAfter(next)
  if (next === first) return [{ wholeMonth: false, from, to }]
  return [
    { wholeMonth: false, from, to: first - 1 },
    { wholeMonth: true, from: first, to: monthOf(next - 1) },
    { wholeMonth: false, from: next, to },
  ].filter(({ from, to }) => from <= to)
}

/** Each day and the first day of each whole month of periods. */
export const daysAndMonths = (periods: readonly Period[]): { wholeMonth: boolean; day: number }[] =>
  periods.flatMap(({ wholeMonth, from, to }) => {
    const all = []
    for (let day = from; day <= to; day = wholeMonth ? monthAfter(day) : day + 1) all.push({ wholeMonth, day })
    return all
  })

/** Sums of days, and those of months, which are sums of them. @param nameOf what is different of different sums */
export function withMonths<Row extends { readonly wholeMonth: boolean; readonly day: number }>(
  days: readonly Row[],
  nameOf: (row: Row) => string,
  add: (sum: Row, row: Row) => void,
  copied: (row: Row) => Row = (row) => row,
): Row[] {
  const months = new Map<string, Row>()
  for (const row of days) {
    const month = { ...copied(row), wholeMonth: true, day: monthOf(row.day) }
    const sum = months.get(nameOf(month))
    if (sum) add(sum, row)
    else months.set(nameOf(month), month)
  }
  return [...days, ...months.values()]
}
