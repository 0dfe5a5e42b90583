const shape =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * A timestamp of RFC 3339 that ISO 8601 allows too: capital T and Z, a day that the calendar has, no leap second.
 * The offset `-00:00` stands for an unknown zone, which xAPI does not accept.
 */
export function isTimestamp(text: string): boolean {
  if (!shape.test(text) || text.endsWith('-00:00')) return false
  const day = Number(text.slice(8, 10))
  return day <= 28 || day <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Microseconds since 1970 of a valid timestamp; digits beyond the sixth are cut off. */
export function microsOf(timestamp: string): bigint {
  const zone = timestamp.endsWith('Z') ? timestamp.length - 1 : timestamp.length - 6
  const seconds = Date.parse(timestamp.slice(0, 19) + timestamp.slice(zone)) / 1000
  const fraction = timestamp.slice(20, Math.min(zone, 26)).padEnd(6, '0')
  return BigInt(seconds) * 1_000_000n + BigInt(fraction)
}

let second = NaN
let untilSecond = ''

/** The timestamp of microseconds since 1970 up to 2255, in UTC, always with six digits: `2026-11-21T00:00:00.000001Z`. */
export function timestampOf(micros: number): string {
  const whole = Math.floor(micros / 1_000_000)
  // the statements of a page often share their second
  if (whole !== second) {
    untilSecond = new Date(whole * 1000).toISOString().slice(0, -4)
    second = whole
  }
  return `${untilSecond}${String(micros - whole * 1_000_000).padStart(6, '0')}Z`
}
