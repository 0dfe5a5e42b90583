import { readFileSync } from 'node:fs'
import type { Round } from './load/measure.ts'

/** Processes of which a round notes the CPU. */
export interface Watched {
  /** One process or several. */
  gateway: number | readonly number[]
  core: number | readonly number[]
  /** The server's first process; its children count with it. */
  postgres: number
}

/** What Linux counts in, µs. */
const tick = 10_000

/**
 * Runs a round, and notes the CPU (µs for each unit) that each process took meanwhile; nothing where there is no /proc.
 */
export async function withCpu(watched: Watched, run: () => Promise<Round>): Promise<Round> {
  const before = usedBy(watched)
  const round = await run()
  const after = usedBy(watched)
  if (!before || !after) return round
  const each = (name: keyof Used) => (after[name] - before[name]) / round.done
  return {
    ...round,
    cpu: {
      gateway: each('gateway'),
      core: each('core'),
      mainThread: each('mainThread'),
      postgres: each('postgres'),
      load: round.ownCpu / round.done,
    },
  }
}

/** µs that each process took so far. */
export const cpuOfAll = (
  { pids }: { readonly pids: Pick<Watched, 'gateway' | 'core'> },
  postgres: { readonly pid: number },
): Record<keyof Watched, number> => ({
  gateway: sumOf(pids.gateway),
  core: sumOf(pids.core),
  postgres: withChildren(postgres.pid),
})

/** `mainThread`: of the cores. */
type Used = Record<keyof Watched | 'mainThread', number>

function usedBy({ gateway, core, postgres }: Watched): Used | undefined {
  try {
    return {
      gateway: sumOf(gateway),
      core: sumOf(core),
      mainThread: [core].flat().reduce((sum, pid) => sum + cpuOf(pid, `/task/${pid}`).own, 0),
      postgres: withChildren(postgres),
    }
  } catch {
    return undefined
  }
}

const sumOf = (pids: number | readonly number[]): number => [pids].flat().reduce((sum, pid) => sum + cpuOf(pid).own, 0)

const attempts = 5

/** µs of a process and of its children, also of those that have ended. */
export function withChildren(pid: number): number {
  for (let attempt = 1; ; attempt++) {
    try {
      const { own, ended } = cpuOf(pid)
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
      return children.reduce((sum, child) => sum + cpuOf(Number(child)).own, own + ended)
    } catch (error) {
      // a child ended between the two reads: next time its parent has its time
      if (attempt === attempts) throw error
    }
  }
}

/** µs of a process, or of a thread of it, and of its children that have ended; proc(5), `stat`. */
function cpuOf(pid: number, thread = ''): { own: number; ended: number } {
  const stat = readFileSync(`/proc/${pid}${thread}/stat`, 'latin1')
  const [user, system, endedUser, endedSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  return { own: (user! + system!) * tick, ended: (endedUser! + endedSystem!) * tick }
}
