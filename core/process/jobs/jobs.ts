import { isAway } from '../refusal.ts'

/** Work that this core does besides its calls. Times are milliseconds since 1970; 0: never. */
export interface Job {
  readonly name: string
  /** Milliseconds between two runs; 0: it runs when it is asked for. */
  readonly every: number
  running: number
  runs: number
  failures: number
  /** Of the last run that has ended. */
  started: number
  ended: number
  /** Why it failed, without what the error itself says; empty: it did not. */
  problem: string
}

/** What runs in this core beside calls, when it ran last and how it ended. Names come from the code. */
export function jobs(now: () => number = Date.now) {
  const known = new Map<string, Job>()
  const jobOf = (name: string, every: number): Job => {
    const job = known.get(name) ?? { name, every, running: 0, runs: 0, failures: 0, started: 0, ended: 0, problem: '' }
    known.set(name, job)
    return job
  }
  return {
    /** Runs `work` and notes how it ends. */
    async run<T>(name: string, every: number, work: () => Promise<T>): Promise<T> {
      const job = jobOf(name, every)
      const started = now()
      job.running++
      let problem = ''
      try {
        return await work()
      } catch (error) {
        problem = isAway(error) ? 'the database did not answer' : 'the log of core says why'
        job.failures++
        throw error
      } finally {
        job.running--
        job.runs++
        Object.assign(job, { started, ended: now(), problem })
      }
    },
    list: (): readonly Job[] => [...known.values()],
  }
}

export type Jobs = ReturnType<typeof jobs>
