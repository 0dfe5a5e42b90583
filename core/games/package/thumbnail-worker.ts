import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { setPriority } from 'node:os'
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js'
import decodePng, { init as initPng } from '@jsquash/png/decode.js'
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js'
import encodeWebp, { init as initEncoder } from '@jsquash/webp/encode.js'
import { shrink, type Pixels } from './shrink.ts'
import type { ThumbnailInput, ThumbnailOutput } from './thumbnails.ts'

// what the decoders make of pixels; Node has none
class ImageData implements Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
}
Object.assign(globalThis, { ImageData })

const codec = async (path: string) =>
  new Uint8Array(await readFile(fileURLToPath(import.meta.resolve(`@jsquash/${path}.wasm`)))).buffer

/** Only WASM sees the bytes: what a decoder gets wrong stays in its memory. */
const decoders: Readonly<Record<string, (bytes: ArrayBuffer) => Promise<Pixels>>> = {
  'image/jpeg': async (bytes) => {
    await initJpeg({ wasmBinary: await codec('jpeg/codec/dec/mozjpeg_dec') })
    return decodeJpeg(bytes, { preserveOrientation: true })
  },
  'image/png': async (bytes) => {
    await initPng(await codec('png/codec/pkg/squoosh_png_bg'))
    return decodePng(bytes)
  },
  'image/webp': async (bytes) => {
    await initWebp({ wasmBinary: await codec('webp/codec/dec/webp_dec') })
    return decodeWebp(bytes)
  },
}

async function run({ bytes, contentType, width }: ThumbnailInput): Promise<ThumbnailOutput> {
  const picture = await decoders[contentType]!(new Uint8Array(bytes).buffer)
  await initEncoder({ wasmBinary: await codec('webp/codec/enc/webp_enc_simd') })
  const small = picture.width > width ? shrink(picture, width) : picture
  return new Uint8Array(await encodeWebp(small, { quality: 75 }))
}

// on Linux this lowers the priority of this thread only, so that requests go first
if (process.platform === 'linux') setPriority(10)
parentPort!.postMessage(await run(workerData as ThumbnailInput), [])
