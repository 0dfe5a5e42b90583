import { createReadStream } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { hashOf } from './hash-of.ts'
import { openStorage } from '../../../storage/open.ts'
import { StorageFailure } from '../../../storage/storage.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { checkZip } from './check-zip.ts'
import { scan } from './clamd.ts'
import { compress } from './compress.ts'
import type { Unpacked, WorkerInput, WorkerOutput } from './packages.ts'
import { unpack } from './unpack.ts'

/** The thread that checks and unpacks one build, or has one other upload scanned. */
async function run({ storage: config, key, fileName, prefix, maxExpanded, clamd }: WorkerInput): Promise<Unpacked> {
  const storage = openStorage(config)
  if (prefix === undefined) {
    if (clamd) await scan(clamd, fileName, async () => (await (await storage.open(key))?.read()) ?? [])
    return { files: 1, expanded: 0, sha256: '' }
  }
  const zip = await storage.local(key)
  try {
    const files = await checkZip(zip.path, fileName, maxExpanded)
    await unpack(zip.path, files, storage, prefix, clamd)
    await compress(zip.path, files, storage, prefix)
    const expanded = files.reduce((sum, { size }) => sum + size, 0)
    return { files: files.length, expanded, sha256: await hashOf(createReadStream(zip.path)) }
  } finally {
    await zip.done()
  }
}

function outputOf(error: unknown): WorkerOutput {
  if (error instanceof Problem) return { kind: 'problem', place: error.place, said: error.said, rule: error.rule }
  if (error instanceof Refusal)
    return { kind: 'refused', reason: error.reason, said: error.said, cause: String(error.cause) }
  if (error instanceof StorageFailure) return { kind: 'storage', reason: error.reason, message: error.message }
  return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

// on Linux this lowers the priority of this thread only, so that requests go first
if (process.platform === 'linux') setPriority(10)
const output = await run(workerData as WorkerInput).then(
  (unpacked): WorkerOutput => ({ kind: 'done', unpacked }),
  outputOf,
)
parentPort!.postMessage(output, [])
