/** A time in microseconds since 1970 in ISO 8601, with six fractional digits. */
export function isoOf(micros: bigint): string {
  const text = new Date(Number(micros / 1000n)).toISOString()
  return `${text.slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`
}

/** The same time as an HTTP date, to the second (RFC 9110 5.6.7). */
export function httpDateOf(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toUTCString()
}
