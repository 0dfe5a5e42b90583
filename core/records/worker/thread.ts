import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { TooMany } from '../xapi/prepare.ts'
import { Problem } from '../../process/problem.ts'
import { jobs } from './jobs.ts'
import type { Outcome, Task } from './worker.ts'

/** The worker thread: one job at a time. */
async function outcomeOf({ job, input }: Task): Promise<Outcome> {
  try {
    return { kind: 'done', output: await (jobs[job] as (input: unknown) => unknown)(input) }
  } catch (error) {
    if (error instanceof Problem) return { kind: 'problem', place: error.place, said: error.said, rule: error.rule }
    if (error instanceof TooMany) return { kind: 'too many', max: error.max }
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// on Linux this lowers the priority of this thread only, so that small requests go first
if (process.platform === 'linux') setPriority(5)
parentPort!.on('message', (task: Task) => void outcomeOf(task).then((outcome) => parentPort!.postMessage(outcome, [])))
