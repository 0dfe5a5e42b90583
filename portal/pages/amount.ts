import { html, type Html } from '../html.ts'

/** Bytes for people, in the units of the limits. */
export function inBytes(bytes: bigint | number): string {
  const value = Number(bytes)
  const unit = [
    ['GB', 2 ** 30],
    ['MB', 2 ** 20],
    ['KB', 2 ** 10],
  ].find(([, size]) => value >= Number(size))
  return unit
    ? `${(value / Number(unit[1])).toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit[0]}`
    : `${value} bytes`
}

/** A moment in UTC; `seconds` since 1970. */
export function moment(seconds: bigint | number): Html {
  const at = new Date(Number(seconds) * 1000)
  const text = at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${at.toISOString()}">${text} UTC</time>`
}

export const counted = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${Number(count).toLocaleString('en')} ${Number(count) === 1 ? one : many}`
