/** A small seeded generator (mulberry32), so that every run sees the same traffic. */
export function random(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(next() * count)
  const hex = (digits: number): string =>
    below(16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  return {
    next,
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)]!,
    /** A random UUID: they spread over the whole index, as those of real clients do. */
    uuid: (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[below(4)]}${hex(3)}-${hex(6)}${hex(6)}`,
  }
}
