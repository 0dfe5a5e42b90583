import { createReadStream } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { hashOf } from './hash-of.ts'
import { openStorage } from '../../../storage/open.ts'
import { StorageFailure } from '../../../storage/storage.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { requireListed, reuse, reusedFiles, writeFiles, type UnpackedFile } from './build-files.ts'
import { checkZip } from './check-zip.ts'
import { scan } from './clamd.ts'
import { compress } from './compress.ts'
import type { Unpacked, WorkerInput, WorkerOutput } from './packages.ts'
import { unpack } from './unpack.ts'

/** The thread that checks and unpacks one build, or has one other upload scanned. */
async function run(input: WorkerInput): Promise<Unpacked> {
  const { storage: config, key, fileName, prefix, whole, maxExpanded, clamd } = input
  const storage = openStorage(config)
  if (prefix === undefined) {
    if (clamd) await scan(clamd, fileName, async () => (await (await storage.open(key))?.read()) ?? [])
    return { files: 1, expanded: 0, sha256: '', reused: 0 }
  }
  const zip = await storage.local(key)
  try {
    const zipFiles = await checkZip(zip.path, fileName, maxExpanded, !whole)
    const reused = whole ? await reusedFiles({ fileName, maxExpanded, ...whole }, zipFiles, storage) : []
    const unpacked = await unpack(zip.path, zipFiles, storage, prefix, clamd)
    if (whole) requireListed(whole.files, unpacked)
    await reuse(reused, storage, prefix, clamd)
    await compress(zip.path, zipFiles, storage, prefix)
    const files = [...unpacked, ...reused]
    await writeFiles(storage, prefix, files)
    return {
      files: files.length,
      expanded: sum(files, 'size'),
      sha256: await hashOf(createReadStream(zip.path)),
      reused: sum(reused, 'packed'),
    }
  } finally {
    await zip.done()
  }
}

const sum = (files: readonly UnpackedFile[], of: 'size' | 'packed'): number =>
  files.reduce((total, file) => total + file[of], 0)

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
