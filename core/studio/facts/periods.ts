import { monthOf } from './sums.ts'

/** Days or the first days of months, both included. */
export interface Period {
  readonly wholeMonth: boolean
  readonly from: number
  readonly to: number
}

const after = (month: number): number => monthOf(month + 31)

/** A range of days as whole months and the days before and after them. */
export function periodsOf(from: number, to: number): Period[] {
  const first = monthOf(from) === from ? from : after(monthOf(from))
  let next = first
  while (after(next) - 1 <= to) next = after(next)
  if (next === first) return [{ wholeMonth: false, from, to }]
  return [
    { wholeMonth: false, from, to: first - 1 },
    { wholeMonth: true, from: first, to: monthOf(next - 1) },
    { wholeMonth: false, from: next, to },
  ].filter(({ from, to }) => from <= to)
}
