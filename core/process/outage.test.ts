import { expect, test } from 'vitest'
import { outage } from './outage.ts'

test('a database that is away is told of when it goes, each half minute, and when it is back', () => {
  const lines: string[] = []
  let time = 0
  const tell = ({ what, seconds }: { what?: string; seconds?: number }, text: string) =>
    lines.push([`${time}: ${text}`, what, seconds].filter((part) => part !== undefined).join(', '))
  const database = outage({ warn: tell }, () => time)
  const during = (milliseconds: number, what: () => void) => {
    for (const end = time + milliseconds; time < end; time += 100) what()
  }
  during(1_000, database.answered)
  // refused by turns, as by too many connections: it is not back for the one that is answered
  during(61_000, () => {
    database.failed('refused')
    database.answered()
  })
  during(2_000, database.answered)
  during(200, () => database.failed('broken'))
  during(60_000, database.answered)
  expect(lines).toEqual([
    '1000: the database cannot be reached or is busy, refused',
    '31000: the database still cannot be reached or is busy, refused, 30',
    '61000: the database still cannot be reached or is busy, refused, 60',
    '62900: the database answers again, 61',
    '64000: the database cannot be reached or is busy, broken',
    '65100: the database answers again, 0',
  ])
})
