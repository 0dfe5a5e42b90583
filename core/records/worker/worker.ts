import { Worker } from 'node:worker_threads'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { Refusal } from '../../process/refusal.ts'
import { TooMany } from '../xapi/prepare.ts'
import { Problem } from '../../process/problem.ts'
import type { Jobs } from './jobs.ts'
import { type Said } from '../../../shared/say.ts'

type Job = keyof Jobs
type Input<J extends Job> = Parameters<Jobs[J]>[0]
type Output<J extends Job> = Awaited<ReturnType<Jobs[J]>>

/** A message to the thread. */
export interface Task {
  readonly job: Job
  readonly input: unknown
}

/** Its answer. */
export type Outcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'problem'; readonly place: Said; readonly said: Said; readonly rule: string }
  | { readonly kind: 'too many'; readonly max: number }
  | { readonly kind: 'failed'; readonly message: string }

export interface WorkerOptions {
  /** Most waiting jobs: of all games, and of one. */
  readonly waiting: number
  readonly waitingOfGame: number
  /** Most milliseconds that a job waits, and that it runs. */
  readonly patience: number
  readonly timeout: number
}

export interface HeavyWork {
  /**
   * Runs a job when it is the game's turn: the game that has used the thread least comes first.
   * @throws the error of the job; Refusal 'unavailable'
   */
  run<J extends Job>(job: J, game: number, input: Input<J>): Promise<Output<J>>
  close(): Promise<void>
}

/** A thread for pure work that would block core's own thread for too long. It starts with the first job. */
export function heavyWork({ waiting, waitingOfGame, patience, timeout }: WorkerOptions): HeavyWork {
  const queue = fairQueue({
    concurrency: 1,
    concurrencyOfOne: 1,
    maxWaiting: waiting,
    maxWaitingOfOne: waitingOfGame,
    maxWait: patience,
    refusal: 'Too many heavy requests wait at the moment; try again, or send and read less at a time.',
  })
  let thread: Worker | undefined
  let closed = false

  function start(): Worker {
    const started = new Worker(new URL('thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    started.unref()
    // a broken thread is not used again
    const forget = (): void => void (thread === started && (thread = undefined))
    return started.once('error', forget).once('exit', forget)
  }

  async function perform(task: Task): Promise<unknown> {
    if (closed) throw new Refusal('unavailable', 'The service is about to stop; try again in a moment.')
    const used = (thread ??= start())
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const broke = (): void =>
      reject(new Refusal('unavailable', 'The request takes too much time or memory; send and read less at a time.'))
    const timer = setTimeout(() => void used.terminate(), timeout)
    used.once('message', resolve).once('error', broke).once('exit', broke)
    try {
      used.postMessage(task, [])
      return outputOf(await promise)
    } finally {
      clearTimeout(timer)
      used.off('message', resolve).off('error', broke).off('exit', broke)
    }
  }

  return {
    run: <J extends Job>(job: J, game: number, input: Input<J>) =>
      queue.run(game, () => perform({ job, input })) as Promise<Output<J>>,
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

function outputOf(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case 'done':
      return outcome.output
    case 'problem':
      throw new Problem(outcome.place, outcome.said, outcome.rule)
    case 'too many':
      throw new TooMany(outcome.max)
    case 'failed':
      throw new Error(outcome.message)
  }
}
