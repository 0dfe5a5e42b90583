import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identity } from '../../start/processes.ts'

const prefix = 'lrs-test-run-'
const memory = '/dev/shm'
const GiB = 2 ** 30

/** The folder of one test run: `postgres` and, as the TMPDIR of all that it starts, `tmp`. */
export interface RunFolder {
  path: string
  tmp: string
  remove(): void
}

/**
 * Makes the folder of this run, and removes those of runs that were killed. In memory where there is room: a database
 * is copied for an eighth of the processor time there, and nothing in here has to survive a power cut.
 */
export function makeRunFolder(places = [memory, tmpdir()]): RunFolder {
  for (const place of places) removeLeft(place)
  const path = realpathSync(mkdtempSync(join(places.find(hasRoom) ?? places.at(-1)!, prefix)))
  writeFileSync(join(path, 'owner'), identity(process.pid)!)
  const tmp = join(path, 'tmp')
  mkdirSync(tmp)
  // as /tmp: some tests run programs as another user
  chmodSync(path, 0o711)
  chmodSync(tmp, 0o1777)
  return { path, tmp, remove: () => remove(path) }
}

/** A run needs less than 2 GiB; the processes that it starts need memory, too. */
function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place)
    return place !== memory || (bavail * bsize > 3 * GiB && process.availableMemory() > 5 * GiB)
  } catch {
    return false
  }
}

function removeLeft(place: string): void {
  for (const name of namesIn(place)) {
    const path = join(place, name)
    if (name.startsWith(prefix) && isLeft(path)) removeIfFree(path)
  }
}

/** A small disk of a test may still be mounted there: then the folder stays, and holds up no run. */
function removeIfFree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    console.warn(`${path} of a test run that was killed is still in use: remove it by hand.`)
  }
}

/** Whether the run that made the folder has ended. One that does not name its run may be about to. */
function isLeft(path: string): boolean {
  try {
    const owner = readFileSync(join(path, 'owner'), 'utf8')
    return owner !== '' && identity(Number.parseInt(owner)) !== owner
  } catch {
    return false
  }
}

function namesIn(place: string): string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
