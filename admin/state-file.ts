import { readFile, rename, writeFile } from 'node:fs/promises'
import { Failed } from './failed.ts'

/** What long work has done so far, in a file that is always whole; undefined: nothing yet. @throws Failed */
export async function readState<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Failed(`${path} cannot be read (${(error as Error).message}): remove it to start over.`)
  }
}

export async function writeState(path: string, state: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
