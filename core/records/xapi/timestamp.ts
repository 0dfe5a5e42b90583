import { wholeTimestamp } from '../../../shared/timestamp.ts'

const shape =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * A timestamp that both RFC 3339 and ISO 8601 allow: capital T and Z, an existing day, no leap second. The offset
 * `-00:00` means an unknown zone, which xAPI does not accept.
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

/** Microseconds since 1970 of a timestamp that statements may have; digits beyond the sixth are cut off. */
export function microsOf(text: string): bigint {
  const timestamp = wholeTimestamp(text)
  const zone = timestamp.endsWith('Z') ? timestamp.length - 1 : timestamp.length - 6
  const seconds = Date.parse(timestamp.slice(0, 19) + timestamp.slice(zone)) / 1000
  const fraction = timestamp.slice(20, Math.min(zone, 26)).padEnd(6, '0')
  return BigInt(seconds) * 1_000_000n + BigInt(fraction)
}

/** The same time with Z for its offset, and the same fraction; what would leave the years 0000 to 9999 stays. */
export function inUtc(text: string): string {
  const timestamp = wholeTimestamp(text)
  if (timestamp.endsWith('Z')) return timestamp
  const seconds = new Date(timestamp.slice(0, 19) + timestamp.slice(-6)).toISOString().slice(0, -5)
  return seconds.length === 19 ? `${seconds}${timestamp.slice(19, -6)}Z` : timestamp
}

const dayMicros = 86_400_000_000
const zero = '0'.charCodeAt(0)
/** The timestamp that was written last, of which the next one often shares the day. */
const last = Buffer.from('1970-01-01T00:00:00.000000Z')
let day = 0

/**
 * The timestamp of microseconds since 1970 up to 2255, in UTC, always with six digits: `2026-11-21T00:00:00.000001Z`.
 */
export function timestampOf(micros: number): string {
  return timestamp(micros).toString('latin1')
}

/** Writes what timestampOf() gives. */
export function writeTimestamp(into: Uint8Array, at: number, micros: number): void {
  into.set(timestamp(micros), at)
}

function timestamp(micros: number): Buffer {
  const whole = Math.floor(micros / dayMicros)
  if (whole !== day) last.write(new Date(whole * 86_400_000).toISOString().slice(0, 11))
  day = whole
  const ofDay = micros - whole * dayMicros
  const seconds = Math.floor(ofDay / 1_000_000)
  digits(25, 6, ofDay - seconds * 1_000_000)
  digits(18, 2, seconds % 60)
  digits(15, 2, Math.floor(seconds / 60) % 60)
  digits(12, 2, Math.floor(seconds / 3600))
  return last
}

function digits(end: number, count: number, value: number): void {
  let rest = value
  for (let at = end; at > end - count; at--) {
    const less = Math.floor(rest / 10)
    last[at] = zero + rest - 10 * less
    rest = less
  }
}
