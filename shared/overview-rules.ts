/** How a count differs from that of the period before, in whole percent. Undefined: there was none. */
export const changeOf = (now: number, before: number): number | undefined =>
  before === 0 ? undefined : Math.round(((now - before) / before) * 100)

interface Level {
  readonly wholeGame: boolean
  readonly started: bigint | number
  readonly completed: bigint | number
}

/** The level that most players started and did not complete. Undefined: there is no level. */
export const mostStuck = <Of extends Level>(levels: readonly Of[]): Of | undefined =>
  levels
    .filter(({ wholeGame }) => !wholeGame)
    .toSorted((a, b) => Number(b.started) - Number(b.completed) - (Number(a.started) - Number(a.completed)))[0]
