import type { Order } from './follower.ts'

/** What is wrong with what a follower has seen; nothing when it has all that was acknowledged, in order. */
export function complaints(
  { seen, watermarks, ends }: Order,
  acknowledged: string[],
  table: { id: string; stored: string }[],
): string[] {
  const ids = new Set(seen.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !ids.has(id)).length
  const rows = table.map(({ stored }) => Number(stored))
  const missingRows = acknowledged.length - new Set(table.map(({ id }) => id)).size
  const unordered = seen.filter(({ stored }, n) => n > 0 && stored <= seen[n - 1]!.stored).length
  const ahead = watermarks.filter(
    ({ through, visible }) => rows[visible - 1]! > through || rows[visible]! <= through,
  ).length
  const short = ends.filter(({ after, through, count }) => upTo(rows, through) - upTo(rows, after) > count).length
  return [
    ...(missingRows > 0 ? [`${missingRows} acknowledged statements are not in the table`] : []),
    ...(lost > 0 ? [`${lost} of ${acknowledged.length} were never seen`] : []),
    ...(ids.size < seen.length ? [`${seen.length - ids.size} were seen twice`] : []),
    ...(unordered > 0 ? [`${unordered} came out of order`] : []),
    ...(short > 0 ? [`${short} of ${ends.length} pages lacked statements up to their Consistent-Through`] : []),
    ...(ahead > 0 ? [`Consistent-Through was ahead ${ahead} of ${watermarks.length} times`] : []),
  ]
}

/** How many of the places, in order, are not beyond this one. */
function upTo(places: number[], last: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle]! <= last) low = middle + 1
    else high = middle
  }
  return low
}
