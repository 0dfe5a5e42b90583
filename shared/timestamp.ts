const short = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::\d\d)?)?$/

/**
 * A timestamp as RFC 3339 has it: with its seconds, a zone (UTC where it has none) and the minutes of its offset. What
 * is no timestamp stays.
 */
export function wholeTimestamp(text: string): string {
  // most have all of it
  if (text.length >= 20 && text.endsWith('Z')) return text
  const [, minute, seconds = ':00', zone = 'Z'] = short.exec(text) ?? []
  return minute === undefined ? text : `${minute}${seconds}${zone.length === 3 ? `${zone}:00` : zone}`
}

/** Milliseconds since 1970; NaN: it is no timestamp. */
export const timeOf = (timestamp: string): number => Date.parse(wholeTimestamp(timestamp))
