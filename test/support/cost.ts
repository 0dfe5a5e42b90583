/**
 * For a test that promises a time: what else the machine does may spoil one round, a fault spoils all three. What can
 * be promised by counts, by order or by comparison needs no such thing.
 */
export const bestOfThree = { retry: 2 } as const

/** Milliseconds of the processor that this thread has used: what others on the machine do does not count. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function timeOf(run: () => unknown): number {
  const began = processorTime()
  run()
  return processorTime() - began
}

const text = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ id: n, name: `name ${n}`, list: [n, { n }] })))
/** Takes `quiet` milliseconds on a machine that does nothing else. */
const yardstick = () => {
  for (let n = 0; n < 20; n++) JSON.stringify(JSON.parse(text))
}
const quiet = 25

/**
 * Milliseconds of the processor, of the best of ten; one that takes less than `enough` needs no other. A machine with a
 * slower processor, or one that shares it, gets more: by how much is measured in between.
 */
export function cost(run: () => unknown, enough: number): number {
  let [best, yard] = [timeOf(run), Infinity]
  const scaled = () => best / Math.max(1, yard / quiet)
  for (let round = 1; round < 10 && best >= enough && (round <= 3 || scaled() >= enough); round++) {
    yard = Math.min(yard, timeOf(yardstick))
    best = Math.min(best, timeOf(run))
  }
  return best < enough ? best : scaled()
}
