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

/** Fewer values than these decide nothing: of 2 and 2 the interval says too much. */
const fewest = 10

/**
 * What a rate has gained, with its interval of 95 % by Newcombe (1998, method 10): also right for few values, and for
 * rates close to 0 and 1. Both wholes are at least 1.
 */
export function difference(before: Rate, now: Rate): Difference {
  const [first, second] = [before.part / before.whole, now.part / now.whole]
  const [[low1, high1], [low2, high2]] = [wilson(before), wilson(now)]
  const change = second - first
  const low = change - Math.hypot(second - low2, high1 - first)
  const high = change + Math.hypot(high2 - second, first - low1)
  return { change, low, high, isCertain: Math.min(before.whole, now.whole) >= fewest && (low > 0 || high < 0) }
}

export interface Difference {
  readonly change: number
  readonly low: number
  readonly high: number
  /** 0 is outside of the interval, and both rates are of 10 values at least. */
  readonly isCertain: boolean
}

/** Beyond this number of players nobody waits for them. */
const mostMissing = 1_000_000

/**
 * How many more values the second rate needs until its difference from the first one is certain, if both rates stay as
 * they are. Undefined: no number of them makes it certain.
 */
export function missing(before: Rate, now: Rate): number | undefined {
  const isCertain = (more: number) => {
    const whole = now.whole + more
    return difference(before, { part: (now.part / now.whole) * whole, whole }).isCertain
  }
  if (!isCertain(mostMissing)) return undefined
  let [too, enough] = [-1, mostMissing]
  while (enough - too > 1) {
    const middle = Math.floor((too + enough) / 2)
    if (isCertain(middle)) enough = middle
    else too = middle
  }
  return enough
}
