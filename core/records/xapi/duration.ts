const whole = /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/
const fraction = /[.,]\d+(?=[A-Z]$)/

/**
 * A duration of ISO 8601:2004, 4.4.3.2: `PnYnMnDTnHnMnS` without the parts that are zero, or `PnW` alone.
 * Only the last part may have a fraction.
 */
export function isDuration(text: string): boolean {
  return whole.test(text) || whole.test(text.replace(fraction, ''))
}

const parts = /^P(?:(\d+)W)?(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const minute = 60_000
const day = 24 * 60 * minute
/** Milliseconds of each part; a year and a month have no fixed length. */
const lengths = [7 * day, 365 * day, 30 * day, day, 60 * minute, minute, 1000]

/** Milliseconds of a duration; undefined: it is longer than `longest`. */
export function durationMs(text: string, longest: number): number | undefined {
  const [found] = fraction.exec(text) ?? ['']
  const [, ...numbers] = parts.exec(text.replace(fraction, '')) ?? []
  let last = 0
  let total = 0
  for (const [n, digits] of numbers.entries()) {
    if (digits === undefined) continue
    last = lengths[n]!
    total += Number(digits) * last
  }
  total = Math.round(total + (found === '' ? 0 : Number(`0.${found.slice(1)}`)) * last)
  return total <= longest ? total : undefined
}
