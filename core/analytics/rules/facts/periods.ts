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
