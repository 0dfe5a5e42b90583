/** Milliseconds of the processor that this thread has used: what others on the machine do does not count. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of the processor, of the best of three. */
export function cost(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const began = processorTime()
    run()
    return processorTime() - began
  })
  return Math.min(...times)
}
