/** A time in microseconds since 1970 in ISO 8601, with six fractional digits. */
export function isoOf(micros: bigint): string {
  const text = new Date(Number(micros / 1000n)).toISOString()
  return `${text.slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`
}

/** The same time as an HTTP date, to the second (RFC 9110 5.6.7). */
export function httpDateOf(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toUTCString()
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d(?: GMT| \d{4})$/

/** Seconds since 1970 of an HTTP date in any of its three forms; 0: it is none, so the header does not count. */
export function secondsOf(header = ''): number {
  if (!httpDate.test(header)) return 0
  return Date.parse(header.endsWith('GMT') ? header : `${header} GMT`) / 1000 || 0
}
