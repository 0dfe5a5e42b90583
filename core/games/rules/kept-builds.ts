/** A replaced live build that can become live again. */
export interface KeptBuild {
  readonly id: number
  /** UUID. */
  readonly buildId: string
  /** Counts the game's builds in the order of their uploads. */
  readonly number: number
}

/**
 * The build that a rollback makes live, or why there is none.
 * @param kept the last replaced one first
 * @param wanted UUID; empty: the last replaced one that is older than the live build, so that two rollbacks in a row
 * do not bring the first one back
 */
export function rollbackTarget<Build extends KeptBuild>(
  live: number,
  kept: readonly Build[],
  wanted: string,
): Build | { readonly refused: string } {
  if (kept.length === 0) return { refused: 'No replaced build is kept: upload an older one and submit it for review.' }
  if (wanted !== '')
    return (
      kept.find(({ buildId }) => buildId === wanted) ?? {
        refused: 'This build is not kept: choose one of the kept builds, or upload it again.',
      }
    )
  return (
    kept.find(({ number }) => number < live) ?? {
      refused: `No kept build is older than the live one: name the build to roll back to, such as ${kept[0]!.buildId}.`,
    }
  )
}
