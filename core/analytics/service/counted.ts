import type { Counted } from '../rules/counted.ts'

/** Counts, and how far they are, as messages say it. */
export const countedOf = <Counts extends Counted>(counts: Counts) => ({
  ...counts,
  complete: counts.behind === 0 && !counts.recounting,
  countedUntil: counts.until / 1_000_000,
})
