/** Milliseconds of the processor that this thread has used: what others on the machine do does not count. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of the processor, of the best of ten; one that takes less than `enough` needs no other. */
export function cost(run: () => unknown, enough: number): number {
  let best = Infinity
  for (let count = 0; count < 10 && best >= enough; count++) {
    const began = processorTime()
    run()
    best = Math.min(best, processorTime() - began)
  }
  return best
}
