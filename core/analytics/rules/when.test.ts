import { expect, test } from 'vitest'
import { daysOf, happenedAt } from './when.ts'

const stored = Date.parse('2026-03-05T10:00:00Z')
const day = (name: string) => Date.parse(name) / 86_400_000

test.each([
  ['at its timestamp', '2026-03-01T08:00:00+13:00', undefined, '2026-02-28T19:00:00Z'],
  ['at its timestamp in UTC if that has no zone', '2026-03-01T08:00:00', undefined, '2026-03-01T08:00:00Z'],
  ['at its timestamp without seconds', '2026-03-01T08:00+01', undefined, '2026-03-01T07:00:00Z'],
  ['at its arrival without one', undefined, undefined, '2026-03-05T10:00:00Z'],
  ['at its arrival if that is earlier', '2026-03-05T10:00:00.001Z', undefined, '2026-03-05T10:00:00Z'],
  ['at its arrival if the device has no clock', '1970-01-01T00:00:07Z', undefined, '2026-03-05T10:00:00Z'],
  ['at its arrival before the start', '2026-01-31T23:59:59Z', '2026-02-01', '2026-03-05T10:00:00Z'],
  ['at its timestamp from the start on', '2026-02-01T00:00:00Z', '2026-02-01', '2026-02-01T00:00:00Z'],
])('%s', (_, timestamp, start, expected) => {
  expect(happenedAt(timestamp, stored * 1000, start === undefined ? null : Date.parse(start))).toBe(
    Date.parse(expected),
  )
})

test.each([
  ['UTC', '2026-03-05T23:59:59.999Z', '2026-03-05'],
  // a school day in Auckland lies on two days of UTC
  ['Pacific/Auckland', '2026-03-04T20:00:00Z', '2026-03-05'],
  ['Pacific/Auckland', '2026-03-05T00:30:00Z', '2026-03-05'],
  // clocks go forward at 2:00 and back at 3:00
  ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
  ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
  ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
  ['Asia/Kathmandu', '2026-03-05T18:14:59Z', '2026-03-05'],
  ['Asia/Kathmandu', '2026-03-05T18:15:00Z', '2026-03-06'],
  ['America/Los_Angeles', '2026-03-05T07:59:59Z', '2026-03-04'],
])('in %s, %s is on %s', (zone, at, expected) => {
  expect(daysOf(zone)(Date.parse(at))).toBe(day(expected))
})

test('an unknown zone is refused', () => {
  expect(() => daysOf('Mars/Olympus')).toThrow(RangeError)
})
