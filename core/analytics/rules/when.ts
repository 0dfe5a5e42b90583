import { timeOf } from '../../../shared/timestamp.ts'

/** No game began before: devices without a clock say 1970. */
export const earliest = Date.UTC(2000, 0, 1)

/**
 * When a statement happened, in milliseconds since 1970: at its timestamp; at its arrival where the timestamp is later
 * than that, or before the game's start. No game began before 2000: devices without a clock say 1970.
 * @param stored microseconds @param start milliseconds; null: the studio has not set it
 */
export function happenedAt(timestamp: string | undefined, stored: number, start: number | null): number {
  const arrived = Math.floor(stored / 1000)
  const at = timeOf(timestamp ?? '')
  return at >= (start ?? earliest) && at <= arrived ? at : arrived
}

const quarter = 15 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
const remembered = 10_000

/**
 * The calendar days of a time zone. Zones change their clocks at full quarters of an hour, so the offset of a quarter is
 * looked up once.
 * @param zone of the IANA database, such as `Pacific/Auckland`
 * @returns the day of a time in milliseconds; days count from 1970
 * @throws RangeError the zone is not known
 */
export function daysOf(zone: string): (at: number) => number {
  if (zone === 'UTC') return (at) => Math.floor(at / dayMs)
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const known = new Map<number, number>()
  return (at) => {
    const slot = Math.floor(at / quarter)
    let day = known.get(slot)
    if (day === undefined) {
      day = Date.parse(format.format(slot * quarter)) / dayMs
      if (known.size >= remembered) known.clear()
      known.set(slot, day)
    }
    return day
  }
}
