/** What one person did with one thing on one day; `latest` and `highest` only of progress. */
export interface PersonDay {
  /** Days since 1970, UTC. */
  readonly day: number
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
/** Progress below 0.1, 0.2 … below 1, and 1. */
export const progressBins = 11

const binOf = (progress: number): number => Math.min(progressBins - 1, Math.floor(progress * 10))

export function spansOf(days: readonly PersonDay[]): Span[] {
  let highest = 0
  return days.map(({ day, ...progress }, n) => {
    highest = Math.max(highest, progress.highest)
    return { day, next: days[n + 1]?.day ?? never, latest: binOf(progress.latest), highest: binOf(highest) }
  })
}

/** The person's entry for a day; a new one is put in its place. */
export function dayIn(days: PersonDay[], day: number): PersonDay {
  let at = days.length
  while (at > 0 && days[at - 1]!.day > day) at--
  const known = days[at - 1]
  if (known?.day === day) return known
  const added = { day, count: 0, latest: 0, highest: 0 }
  days.splice(at, 0, added)
  return added
}

/** What a person had reached by their last day of a range; undefined: none of their days is in it. */
export function reachedIn(days: readonly PersonDay[], from: number, to: number) {
  const within = days.filter(({ day }) => day >= from && day <= to)
  const last = within.at(-1)
  if (!last) return undefined
  return {
    day: last.day,
    latest: last.latest,
    highest: Math.max(...days.filter(({ day }) => day <= last.day).map(({ highest }) => highest)),
    count: within.reduce((sum, { count }) => sum + count, 0),
  }
}
