import { Worker } from 'node:worker_threads'
import { Refusal } from '../../process/refusal.ts'
import type { Known, Unknown } from './encoder.ts'
import type { ExportForm } from './form.ts'

export type Ask =
  | { readonly kind: 'take'; readonly texts: readonly Uint8Array[] }
  | { readonly kind: 'encode'; readonly known: Known }
  | { readonly kind: 'end' }
export type Answer =
  | { readonly kind: 'unknown'; readonly unknown: Unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }

/** Milliseconds for one page of statements. */
const patience = 60_000

/** An encoder in a separate thread: core's thread serves games meanwhile. */
export interface Encoding {
  take(texts: readonly Uint8Array[]): Promise<Unknown>
  encode(known: Known): Promise<Buffer>
  end(): Promise<Buffer>
  close(): Promise<void>
}

export function encoding(form: ExportForm): Encoding {
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    workerData: form,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  worker.on('error', () => {})

  async function answerTo(ask: Ask): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const broke = (): void =>
      reject(new Refusal('unavailable', 'This export takes too much time or memory; try a shorter period.'))
    const timer = setTimeout(() => void worker.terminate(), patience)
    worker.once('message', resolve).once('error', broke).once('exit', broke)
    try {
      worker.postMessage(ask, [])
      const answer = await promise
      if (answer.kind === 'failed') throw new Error(answer.message)
      return answer
    } finally {
      clearTimeout(timer)
      worker.off('message', resolve).off('error', broke).off('exit', broke)
    }
  }
  const bytesOf = async (ask: Ask): Promise<Buffer> => {
    const { bytes } = (await answerTo(ask)) as Extract<Answer, { kind: 'bytes' }>
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return {
    take: async (texts) => ((await answerTo({ kind: 'take', texts })) as Extract<Answer, { kind: 'unknown' }>).unknown,
    encode: (known) => bytesOf({ kind: 'encode', known }),
    end: () => bytesOf({ kind: 'end' }),
    close: async () => void (await worker.terminate()),
  }
}
