/** One call on a register, as it was seen from outside. */
export interface Call<State> {
  readonly began: number
  readonly ended: number
  readonly what: string
  /** The state after it, if what the caller was told is right in this state; undefined: it is not. */
  readonly apply: (state: State) => State | undefined
}

/** Whether some order explains all calls, in which none stands before another that had ended when it began (Wing and Gong). */
export function isLinearizable<State>(
  calls: readonly Call<State>[],
  first: State,
  keyOf: (state: State) => string,
): boolean {
  const sorted = [...calls].sort((a, b) => a.began - b.began)
  const seen = new Set<string>()

  function search(done: bigint, state: State): boolean {
    const open = sorted.filter((_, n) => !(done & (1n << BigInt(n))))
    if (open.length === 0) return true
    const key = `${done} ${keyOf(state)}`
    if (seen.has(key)) return false
    seen.add(key)
    const earliest = Math.min(...open.map(({ ended }) => ended))
    return sorted.some((call, n) => {
      if (done & (1n << BigInt(n)) || call.began > earliest) return false
      const next = call.apply(state)
      return next !== undefined && search(done | (1n << BigInt(n)), next)
    })
  }
  return search(0n, first)
}
