import { secretSettings } from './settings.ts'
import { table } from './table.ts'

/** Names that only processes of ours and tests set. */
const internal = /^LRS_(BOOTSTRAP_PARENT|BOOTSTRAP_PATH|PARENT_PIPE|TEST_\w+)$/

/** A line for each LRS_ name of the environment that is not a setting. */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...new Set([...Object.keys(table), ...secretSettings.map((name) => `${name}_FILE`)])]
  return Object.keys(env)
    .filter((name) => name.startsWith('LRS_') && !internal.test(name) && !known.includes(name))
    .toSorted()
    .map((name) => {
      const nearest = nearestOf(name.slice(0, 60), known)
      const shown = name.slice(0, 60).replaceAll(/[^\w]/g, '?')
      const hint = nearest === undefined ? '; docs/settings.md names all' : `; did you mean ${nearest}?`
      return `${shown} is not a setting${hint}`
    })
}

/** The known name with the fewest changes, if they are at most four. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const all = known
    .map((other) => ({ other, distance: distanceOf(name, other) }))
    .toSorted((a, b) => a.distance - b.distance)
  return all[0] !== undefined && all[0].distance <= 4 ? all[0].other : undefined
}

/** Letters to insert, remove or replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(one[i - 1] !== other[j - 1])))
    }
    row = next
  }
  return row[other.length]!
}
