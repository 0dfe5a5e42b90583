import type { Counted } from '../rules/counted.ts'

/** How far the counts of a response are. */
export const countedOf = ({ behind, until, recounting, otherDays, zone }: Counted) => ({
  complete: behind === 0 && !recounting,
  behind: BigInt(behind),
  countedUntil: BigInt(Math.floor(until / 1_000_000)),
  recounting,
  otherDays: BigInt(otherDays),
  zone,
})
