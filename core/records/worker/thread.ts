import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { TooMany } from '../xapi/prepare.ts'
import { Problem } from '../../process/problem.ts'
import { jobs } from './jobs.ts'
import type { Answer, Outcome, Task } from './worker.ts'

/** The worker thread: one job at a time. */
async function outcomeOf({ job, input }: Task): Promise<Outcome> {
  try {
    return { kind: 'done', output: await (jobs[job] as (input: unknown) => unknown)(input) }
  } catch (error) {
    if (error instanceof Problem)
      return {
        kind: 'problem',
        faults: [error, ...error.further].map(({ place, said, rule }) => ({ place, said, rule })),
      }
    if (error instanceof TooMany) return { kind: 'too many', max: error.max }
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const { niceness } = workerData as { niceness: number }
// on Linux this is the priority of this thread only
if (process.platform === 'linux' && niceness > 0) setPriority(niceness)
parentPort!.on(
  'message',
  (task: Task) =>
    void outcomeOf(task).then((outcome) => parentPort!.postMessage({ id: task.id, outcome } satisfies Answer, [])),
)
