import { amount } from '../../charts/words.ts'
import { timeOf } from '../../../shared/timestamp.ts'
import { html, type Html } from '../../web/html.ts'

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

/** How exactly a time is told; `clock`: without its day. */
const precisions = {
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  clock: { timeStyle: 'medium' },
} as const

/**
 * A time, for every page: public/time.js shows it in the zone of the viewer; without scripts it stays in UTC.
 * @param at seconds since 1970, or ISO 8601
 */
export function moment(at: bigint | number | string, to: keyof typeof precisions = 'minute', language = 'en-GB'): Html {
  const time = new Date(typeof at === 'string' ? timeOf(at) : Number(at) * 1000)
  if (Number.isNaN(time.getTime())) return html`${String(at).slice(0, 40)}`
  const text = time.toLocaleString(language === 'en' ? 'en-GB' : language, { ...precisions[to], timeZone: 'UTC' })
  return html`<time datetime="${time.toISOString()}" data-to="${to}">${text} UTC</time>`
}

/** A day of a chart, `2026-11-05`, as `5 Nov`. Days are those of the studio's time zone. */
export const dayName = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`))
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export const counted = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${amount(Number(count))} ${Number(count) === 1 ? one : many}`
