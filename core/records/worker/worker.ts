import { Worker } from 'node:worker_threads'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { Refusal } from '../../process/refusal.ts'
import { TooMany } from '../xapi/prepare.ts'
import { Problem } from '../../process/problem.ts'
import type { Jobs } from './jobs.ts'

type Job = keyof Jobs
type Input<J extends Job> = Parameters<Jobs[J]>[0]
type Output<J extends Job> = Awaited<ReturnType<Jobs[J]>>

/** A message to a thread. */
export interface Task {
  readonly id: number
  readonly job: Job
  readonly input: unknown
}

/** Its answer. */
export interface Answer {
  readonly id: number
  readonly outcome: Outcome
}
/** A Problem as a value; the first of a list is the one that was thrown, the others are its `further`. */
type Fault = Pick<Problem, 'place' | 'said' | 'rule'>
export type Outcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'problem'; readonly faults: readonly Fault[] }
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

/** `usual`: jobs of at most about 20 ms that many requests need; `heavy`: jobs that may take long, and wait for usual ones. */
export type Lane = 'usual' | 'heavy'

export interface HeavyWork {
  /**
   * Runs a job when it is the game's turn: the game that has used the thread least comes first.
   * @param lane default: heavy
   * @throws the error of the job; Refusal 'unavailable'
   */
  run<J extends Job>(job: J, game: number, input: Input<J>, lane?: Lane): Promise<Output<J>>
  close(): Promise<void>
}

/** Two threads for pure work, so that core's own thread serves requests meanwhile. Each starts with its first job. */
export function heavyWork(options: WorkerOptions): HeavyWork {
  const lanes = {
    // the next job is at hand when one ends; usual jobs hold as many bytes as requests on their way
    usual: thread({ ...options, atOnce: 2, niceness: 0, waiting: 4 * options.waiting, waitingOfGame: options.waiting }),
    // on Linux its priority is lower, so that small requests go first
    heavy: thread({ ...options, atOnce: 1, niceness: 5 }),
  }
  return {
    run: <J extends Job>(job: J, game: number, input: Input<J>, lane: Lane = 'heavy') =>
      lanes[lane].run(job, game, input) as Promise<Output<J>>,
    close: async () => void (await Promise.all([lanes.usual.close(), lanes.heavy.close()])),
  }
}

/** A thread that does one job after the other, in the order in which they were sent. */
function thread(options: WorkerOptions & { readonly atOnce: number; readonly niceness: number }) {
  const { waiting, waitingOfGame, patience, timeout, atOnce, niceness } = options
  const queue = fairQueue({
    concurrency: atOnce,
    concurrencyOfOne: atOnce,
    oneByOne: true,
    maxWaiting: waiting,
    maxWaitingOfOne: waitingOfGame,
    maxWait: patience,
    refusal: 'Too many heavy requests wait at the moment; try again, or send and read less at a time.',
  })
  const pending = new Map<number, PromiseWithResolvers<Outcome>>()
  let last = 0
  let worker: Worker | undefined
  let closed = false

  function start(): Worker {
    const started = new Worker(new URL('thread.ts', import.meta.url), {
      workerData: { niceness },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    started.unref()
    // a broken thread is not used again, and has lost its jobs
    const broke = (): void => {
      if (worker !== started) return
      worker = undefined
      const error = new Refusal(
        'unavailable',
        'The request takes too much time or memory; send and read less at a time.',
      )
      for (const { reject } of pending.values()) reject(error)
    }
    return started
      .on('message', ({ id, outcome }: Answer) => pending.get(id)?.resolve(outcome))
      .once('error', broke)
      .once('exit', broke)
  }

  async function perform(job: Job, input: unknown): Promise<unknown> {
    if (closed) throw new Refusal('unavailable', 'The service is about to stop; try again in a moment.')
    const used = (worker ??= start())
    const id = ++last
    const waits = Promise.withResolvers<Outcome>()
    pending.set(id, waits)
    const timer = setTimeout(() => void used.terminate(), timeout)
    try {
      used.postMessage({ id, job, input } satisfies Task, [])
      return outputOf(await waits.promise)
    } finally {
      clearTimeout(timer)
      pending.delete(id)
    }
  }

  return {
    run: (job: Job, game: number, input: unknown) => queue.run(game, () => perform(job, input)),
    async close() {
      closed = true
      await worker?.terminate()
    },
  }
}

function outputOf(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case 'done':
      return outcome.output
    case 'problem':
      throw problemOf(outcome.faults)
    case 'too many':
      throw new TooMany(outcome.max)
    case 'failed':
      throw new Error(outcome.message)
  }
}

function problemOf([first, ...others]: readonly Fault[]): Problem {
  const { place, said, rule } = first!
  return new Problem(
    place,
    said,
    rule,
    others.map((one) => problemOf([one])),
  )
}
