import { allBuilds, teamsOf } from './turn.ts'

/** What one person did with one thing on one day in one build; `latest` and `highest` only of progress. */
export interface PersonDay {
  /** Days since 1970, UTC. */
  readonly day: number
  /** That of a team is a number of `teamsOf`. */
  readonly build: number
  count: number
  /** When `latest` was: milliseconds. */
  at: number
  latest: number
  highest: number
}

/**
 * One day of a person, as it is counted for ranges: until the person's next day. Of all days of a range [from, to], a
 * person has exactly one whose `next` is after `to`: their last one. So different people are a sum.
 */
export interface Span {
  readonly day: number
  readonly next: number
  /** Bins of the latest progress of the day, and of the highest until then. */
  readonly latest: number
  readonly highest: number
}

/** `next` of a person's last day. */
export const never = 2_147_483_647
/** Progress below 0.1, 0.2 … below 1, and 1. */
export const progressBins = 11

const binOf = (progress: number): number => Math.min(progressBins - 1, Math.floor(progress * 10))

/** Adds what a person did. Entries stay in the order of day and of the latest time, of equal ones that of arrival. */
export function addToDays(
  days: PersonDay[],
  { day, build, at }: Pick<PersonDay, 'day' | 'build' | 'at'>,
  made?: number,
) {
  const known = days.findLastIndex((one) => one.day === day && one.build === build)
  const entry = days[known] ?? { day, build, count: 0, at, latest: 0, highest: 0 }
  entry.count++
  if (made !== undefined) entry.highest = Math.max(entry.highest, made)
  if (known >= 0 && at < entry.at) return
  if (known >= 0) days.splice(known, 1)
  entry.at = at
  entry.latest = made ?? 0
  days.splice(days.findLastIndex((one) => one.day < day || (one.day === day && one.at <= at)) + 1, 0, entry)
}

/** The days of a person in one build or in all of them: one entry for each day. */
function daysIn(days: readonly PersonDay[], build: number): PersonDay[] {
  const merged: PersonDay[] = []
  for (const one of days) {
    if (build !== allBuilds && build !== teamsOf(allBuilds) && one.build !== build) continue
    const last = merged.at(-1)
    if (last?.day !== one.day) merged.push({ ...one, build })
    else {
      last.count += one.count
      last.latest = one.latest
      last.highest = Math.max(last.highest, one.highest)
    }
  }
  return merged
}

export function spansOf(days: readonly PersonDay[], build: number): Span[] {
  let highest = 0
  return daysIn(days, build).map(({ day, ...progress }, n, all) => {
    highest = Math.max(highest, progress.highest)
    return { day, next: all[n + 1]?.day ?? never, latest: binOf(progress.latest), highest: binOf(highest) }
  })
}

/** What a person had reached by their last day of a range; undefined: none of their days is in it. */
export function reachedIn(days: readonly PersonDay[], build: number, from: number, to: number) {
  const until = daysIn(days, build).filter(({ day }) => day <= to)
  const within = until.filter(({ day }) => day >= from)
  const last = within.at(-1)
  if (!last) return undefined
  return {
    day: last.day,
    latest: last.latest,
    highest: Math.max(...until.map(({ highest }) => highest)),
    count: within.reduce((sum, { count }) => sum + count, 0),
  }
}
