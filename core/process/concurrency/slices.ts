import { setImmediate } from 'node:timers/promises'

/** What is changed at once, so that other calls need not wait. */
const most = 200
const mostCharacters = 256 * 1024

/** Changes texts, or what has texts, in slices. */
export async function inSlices<T, R>(
  all: readonly T[],
  lengthOf: (one: T) => number,
  change: (one: T) => R,
): Promise<R[]> {
  const changed: R[] = []
  let [count, characters] = [0, 0]
  for (const one of all) {
    const length = lengthOf(one)
    if (count > 0 && (count >= most || characters + length > mostCharacters)) {
      await setImmediate()
      ;[count, characters] = [0, 0]
    }
    changed.push(change(one))
    count++
    characters += length
  }
  return changed
}
