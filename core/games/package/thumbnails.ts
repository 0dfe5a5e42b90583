import { Worker } from 'node:worker_threads'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { imageSize } from './image-size.ts'

export interface ThumbnailInput {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Pixels. */
  readonly width: number
}
export type ThumbnailOutput = Uint8Array

/** Twice that of a card of a list, for screens with two dots to a pixel. */
const thumbnailWidth = 640
/** Pixels of a picture: they take 4 bytes each in the decoder and outside of it. */
const mostPixels = 16_000_000
/** Formats whose decoders we have. A GIF may move; decoders of AVIF are large. */
const shrinkable = ['image/jpeg', 'image/png', 'image/webp']

/**
 * Small pictures for lists (ADR 22). Pictures are hostile: each is decoded in WASM, in a thread of its own, one at a
 * time, with bounds of pixels and time.
 */
export function thumbnails(timeout = 10_000) {
  const queue = fairQueue({ concurrency: 1, concurrencyOfOne: 1, maxWaiting: 20, maxWait: timeout })
  const running = new Set<Worker>()

  async function draw(bytes: Buffer, contentType: string): Promise<ThumbnailOutput | undefined> {
    const workerData: ThumbnailInput = { bytes, contentType, width: thumbnailWidth }
    const worker = new Worker(new URL('thumbnail-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    running.add(worker)
    const timer = setTimeout(() => void worker.terminate(), timeout)
    try {
      return await new Promise<ThumbnailOutput | undefined>((resolve) => {
        worker.once('message', resolve)
        for (const end of ['error', 'exit']) worker.once(end, () => resolve(undefined))
      })
    } finally {
      clearTimeout(timer)
      running.delete(worker)
      await worker.terminate()
    }
  }

  return {
    /** Undefined: the picture itself is to be shown, as it is small, of another format, too large or damaged. */
    async make(bytes: Buffer, contentType: string, studio: number): Promise<Buffer | undefined> {
      const size = imageSize(contentType, bytes)
      if (!size || !shrinkable.includes(contentType) || size.width * size.height > mostPixels) return undefined
      const drawn = await queue.run(studio, () => draw(bytes, contentType)).catch(() => undefined)
      return drawn && drawn.length < bytes.length ? Buffer.from(drawn) : undefined
    },
    close: () => Promise.all([...running].map((worker) => worker.terminate())),
  }
}

export type Thumbnails = ReturnType<typeof thumbnails>
