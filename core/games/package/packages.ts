import { Worker } from 'node:worker_threads'
import { StorageFailure, type StorageReason } from '../../../storage/storage.ts'
import type { StorageConfig } from '../../../storage/config.ts'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { Refusal, type RefusalReason } from '../../process/refusal.ts'
import { Problem } from '../../process/problem.ts'
import { type Said } from '../../../shared/say.ts'
import type { Whole } from './build-files.ts'
import type { Clamd } from './clamd.ts'

/** An upload in storage. */
export interface ScanTask {
  readonly key: string
  /** The name of the upload, for refusals. */
  readonly fileName: string
  /** The owner in the fair queue. */
  readonly studio: number
}

/** A zip, and where its files go. */
export interface UnpackTask extends ScanTask {
  /** Ends in `/`. */
  readonly prefix: string
  /** The zip has only some of the files. */
  readonly whole?: Whole | undefined
}

export interface Unpacked {
  readonly files: number
  /** Bytes of all of them. */
  readonly expanded: number
  /** Of the zip. */
  readonly sha256: string
  /** Bytes that files of other builds had in their zips. */
  readonly reused: number
}

/** The input of the thread. */
export interface WorkerInput extends ScanTask {
  /** Undefined: the upload is scanned only. */
  readonly prefix?: string
  readonly whole?: Whole | undefined
  readonly storage: StorageConfig
  readonly maxExpanded: number
  readonly clamd: Clamd | undefined
}

/** The answer of the thread. */
export type WorkerOutput =
  | { kind: 'done'; unpacked: Unpacked }
  | { kind: 'refused'; reason: RefusalReason; said: Said; cause: string }
  | { kind: 'problem'; place: Said; said: Said; rule: string }
  | { kind: 'storage'; reason: StorageReason; message: string }
  | { kind: 'failed'; message: string }

export interface PackagesOptions {
  readonly storage: StorageConfig
  readonly maxExpanded: number
  /** Undefined: nothing is scanned. */
  readonly clamd?: Clamd | undefined
  /** Packages that are unpacked at a time, at most one for each studio. The others wait. */
  readonly atOnce: number
  /** Most milliseconds for one package. */
  readonly timeout: number
}

/** Checks and unpacks builds, each in a thread of its own, so that core's thread can serve games meanwhile. */
export function packages({ storage, maxExpanded, clamd, atOnce, timeout }: PackagesOptions) {
  const queue = fairQueue({
    concurrency: atOnce,
    concurrencyOfOne: 1,
    maxWaiting: 50,
    maxWait: timeout,
    refusal: 'Too many builds are being checked at the moment; try again in a few minutes.',
  })
  const running = new Set<Worker>()
  let closed = false

  async function work(task: ScanTask): Promise<Unpacked> {
    if (closed) throw new Refusal('unavailable', 'The service is about to stop; try again in a moment.')
    const workerData: WorkerInput = { ...task, storage, maxExpanded, clamd }
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    running.add(worker)
    const timer = setTimeout(() => void worker.terminate(), timeout)
    try {
      return resultOf(await answerOf(worker))
    } finally {
      clearTimeout(timer)
      running.delete(worker)
      // after a timeout or an error the thread may still be writing
      await worker.terminate()
    }
  }

  return {
    /** Some files may be stored before it fails. @throws Problem of an entry, StorageFailure, Refusal 'unavailable' */
    unpack: (task: UnpackTask): Promise<Unpacked> => queue.run(task.studio, () => work(task)),
    /** Has clamd look at an upload that is not unpacked. @throws the same */
    async scan(task: ScanTask): Promise<void> {
      if (clamd) await queue.run(task.studio, () => work(task))
    },
    /** Ends running packages and refuses waiting ones. */
    async close(): Promise<void> {
      closed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}

export type Packages = ReturnType<typeof packages>

const answerOf = (worker: Worker) =>
  new Promise<WorkerOutput>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () =>
      reject(new Refusal('unavailable', 'The build could not be checked in the time that there is for it; try again.')),
    )
  })

function resultOf(output: WorkerOutput): Unpacked {
  switch (output.kind) {
    case 'done':
      return output.unpacked
    case 'refused':
      throw new Refusal(output.reason, output.said, { cause: output.cause })
    case 'problem':
      throw new Problem(output.place, output.said, output.rule)
    case 'storage':
      throw new StorageFailure(output.reason, output.message)
    case 'failed':
      throw new Error(output.message)
  }
}
