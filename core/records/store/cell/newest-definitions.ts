/** The key of an activity's definition if a group gives it several. */
export const several = ''
const knownDefinitions = 10_000

interface Defines {
  /** Key of the definition that a group gives, by activity. */
  readonly defines: ReadonlyMap<string, string>
}

export type NewestDefinitions = ReturnType<typeof newestDefinitions>

/**
 * The newest definition of each activity, by its key. While the count of definition changes in Postgres stays the same,
 * a group that repeats these definitions needs no check of them.
 */
export function newestDefinitions() {
  const keys = new Map<string, string>()
  let at: string | undefined
  return {
    is: (activity: string, key: string | undefined): boolean => keys.get(activity) === key,
    isAt: (count: string): boolean => count === at,
    /** The count at which all definitions of the group were the newest; undefined: not all are known to be. */
    countFor({ defines }: Defines): string | undefined {
      for (const [activity, key] of defines) if (keys.get(activity) !== key) return undefined
      return at
    },
    learn({ defines }: Defines, whole: boolean, before: string, after: string): void {
      if (before !== at || keys.size > knownDefinitions) keys.clear()
      at = after
      for (const [activity, key] of defines) {
        if (whole && key !== several) keys.set(activity, key)
        else keys.delete(activity)
      }
    },
  }
}
