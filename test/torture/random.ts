/** Numbers that a seed repeats (mulberry32). */
export function random(seed: number) {
  let state = seed >>> 0
  /** From 0 up to 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from min to max, both included. */
    between: (min: number, max: number): number => min + Math.floor(next() * (max - min + 1)),
    of: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
    /** For somebody who works beside: what others draw does not change it. */
    fork: (n: number) => random(Math.imul(seed + 1, 0x9e3779b1) ^ n),
  }
}

export type Random = ReturnType<typeof random>
