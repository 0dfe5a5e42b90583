/** What one round of one arm gave. Times in milliseconds. */
export interface Round {
  /** Right answers, in the unit of the arm (statements, requests, pages). */
  done: number
  seconds: number
  rate: number
  p50: number
  p99: number
  /** CPU of the load generator, µs. */
  ownCpu: number
  /** CPU of each process, µs for each unit; see cpu.ts. */
  cpu?: { gateway: number; core: number; mainThread: number; postgres: number; load: number }
}

/**
 * Lets `clients` run one call after the other until the time is up or there is no more to do. `call` answers how much it
 * did, and undefined when there is nothing left; it throws on a wrong answer, which ends the bench.
 */
export async function measure(
  clients: number,
  ms: number,
  call: (client: number) => Promise<number | undefined>,
): Promise<Round> {
  const times: number[] = []
  let done = 0
  const begin = performance.now()
  const cpu = process.cpuUsage()
  const end = begin + ms
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let now = performance.now(); now < end;) {
        const units = await call(client)
        if (units === undefined) return
        const after = performance.now()
        times.push(after - now)
        done += units
        now = after
      }
    }),
  )
  const seconds = (performance.now() - begin) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { done, seconds, rate: done / seconds, ...percentiles(times), ownCpu: user + system }
}

export function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { p50: at(0.5), p99: at(0.99) }
}
