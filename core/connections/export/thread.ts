import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { encoder } from './encoder.ts'
import type { Ask, Answer } from './encoding.ts'
import type { ExportForm } from './form.ts'

/** The thread that makes one file. */
const { take, encode, end } = encoder(workerData as ExportForm)

async function answerTo(ask: Ask): Promise<Answer> {
  try {
    if (ask.kind === 'take') return { kind: 'unknown', unknown: take(ask.texts) }
    return { kind: 'bytes', bytes: ask.kind === 'encode' ? await encode(ask.known) : await end() }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// on Linux this lowers the priority of this thread only, so that requests go first
if (process.platform === 'linux') setPriority(10)
parentPort!.on('message', (ask: Ask) => void answerTo(ask).then((answer) => parentPort!.postMessage(answer, [])))
