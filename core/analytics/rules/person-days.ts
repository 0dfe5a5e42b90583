/** What one person did with one thing on one day in one build; `latest` and `highest` only of progress. */
export interface PersonDay {
  /** Days since 1970, UTC. */
  readonly day: number
  readonly build: number
  count: number
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
/** In place of a build: all builds together. */
export const allBuilds = -1
/** Progress below 0.1, 0.2 … below 1, and 1. */
export const progressBins = 11

const binOf = (progress: number): number => Math.min(progressBins - 1, Math.floor(progress * 10))

/** The person's entry for a day and build, which is the last one of the day from now on. */
export function dayIn(days: PersonDay[], day: number, build: number): PersonDay {
  const known = days.findLastIndex((one) => one.day === day && one.build === build)
  const [entry = { day, build, count: 0, latest: 0, highest: 0 }] = known < 0 ? [] : days.splice(known, 1)
  const before = days.findLastIndex((one) => one.day <= day)
  days.splice(before + 1, 0, entry)
  return entry
}

/** The days of a person in one build or in all of them: one entry for each day. */
export function daysIn(days: readonly PersonDay[], build: number): PersonDay[] {
  const merged: PersonDay[] = []
  for (const one of days) {
    if (build !== allBuilds && one.build !== build) continue
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
