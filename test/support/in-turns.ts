/** Does `work` for every one, at most `width` at a time; answers what it returned, in order, without what is undefined. */
export async function inTurns<One, Result>(
  list: readonly One[],
  width: number,
  work: (one: One, index: number) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: (Result | undefined)[] = []
  let next = 0
  const run = async () => {
    while (next < list.length) {
      const index = next++
      results[index] = await work(list[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: width }, run))
  return results.filter((result) => result !== undefined)
}
