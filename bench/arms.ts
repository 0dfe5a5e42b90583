import { withCpu, type Watched } from './cpu.ts'
import type { Round } from './load/measure.ts'
import { progress } from './progress.ts'

/** One of the things that are compared. */
export interface Arm {
  name: string
  /** Where its processes are others. */
  watched?: Watched
  run(ms: number): Promise<Round>
}

/** Medians over the rounds of one arm. */
export interface Result {
  cpu?: Round['cpu']
  rate: number
  p50: number
  p99: number
  rounds: Round[]
}

export interface Comparison {
  of(name: string): Result
  /** Median over the rounds of what `value` gives for one arm by what it gives for the other, both of the same round. */
  ratio(name: string, floor: string, value?: (round: Round) => number): number
  /** Of these arms the one with the highest rate. */
  fastest(names: readonly string[]): string
}

/** Runs the arms in turn, each round in another order, after one that does not count: compilers take seconds to settle. */
export async function compare(
  title: string,
  arms: readonly Arm[],
  { rounds, ms, watched }: { rounds: number; ms: number; watched: Watched },
): Promise<Comparison> {
  const results = new Map<string, Round[]>(arms.map(({ name }) => [name, []]))
  for (const arm of arms) {
    progress(`${title}: warming up ${arm.name}`)
    await arm.run(ms * 1.5)
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < arms.length; turn++) {
      const arm = arms[(round + turn) % arms.length]!
      progress(`${title}: round ${round + 1} of ${rounds}, ${arm.name}`)
      results.get(arm.name)!.push(await withCpu(arm.watched ?? watched, () => arm.run(ms)))
    }
  }
  const of = (name: string): Result => {
    const all = results.get(name)!
    return {
      rate: median(all.map(({ rate }) => rate)),
      p50: median(all.map(({ p50 }) => p50)),
      p99: median(all.map(({ p99 }) => p99)),
      cpu: cpuOf(all),
      rounds: all,
    }
  }
  progress(`${title}: ${arms.map(({ name }) => `${name} ${Math.round(of(name).rate)}/s`).join(', ')}`, true)
  return {
    of,
    ratio: (name, floor, value = ({ rate }) => rate) =>
      median(of(name).rounds.map((round, index) => value(round) / value(of(floor).rounds[index]!))),
    fastest: (names) => names.reduce((best, name) => (of(name).rate > of(best).rate ? name : best)),
  }
}

function cpuOf(rounds: readonly Round[]): Round['cpu'] {
  const all = rounds.flatMap(({ cpu }) => cpu ?? [])
  if (all.length === 0) return undefined
  const each = (name: keyof (typeof all)[0]) => median(all.map((cpu) => cpu[name]))
  return {
    gateway: each('gateway'),
    core: each('core'),
    mainThread: each('mainThread'),
    postgres: each('postgres'),
    load: each('load'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
