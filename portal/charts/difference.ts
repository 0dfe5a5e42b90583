/** A whole number of people or attempts, and how many of them did it. */
export interface Rate {
  readonly part: number
  readonly whole: number
}

/** Standard deviations from the mean within which 95 % of a normal distribution lie. */
const z = 1.959964

/** Wilson's interval of a rate, 95 %. */
function wilson({ part, whole }: Rate): readonly [low: number, high: number] {
  const rate = part / whole
  const middle = rate + (z * z) / (2 * whole)
  const spread = z * Math.sqrt((rate * (1 - rate)) / whole + (z * z) / (4 * whole * whole))
  const scale = 1 + (z * z) / whole
  return [(middle - spread) / scale, (middle + spread) / scale]
}

/**
 * What a rate has gained, with its interval of 95 % by Newcombe (1998, method 10): also right for few values, and for
 * rates close to 0 and 1. Both wholes are at least 1.
 */
export function difference(before: Rate, now: Rate): { change: number; low: number; high: number } {
  const [first, second] = [before.part / before.whole, now.part / now.whole]
  const [[low1, high1], [low2, high2]] = [wilson(before), wilson(now)]
  const change = second - first
  return {
    change,
    low: change - Math.hypot(second - low2, high1 - first),
    high: change + Math.hypot(high2 - second, first - low1),
  }
}
