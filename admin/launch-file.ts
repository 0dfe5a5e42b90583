import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { LaunchContext } from '../shared/launch-context.ts'
import { Failed } from './failed.ts'

/**
 * Writes the launch context to a file that only its owner can read, whole or not at all.
 * @throws Failed when another file is there, which is left alone
 */
export function writeLaunchFile(file: string, context: LaunchContext): void {
  if (isOther(file)) throw new Failed(`${file} is there and is no launch file: name another one with --file.`)
  try {
    // what is there may be readable by others, or a link of theirs
    rmSync(`${file}.new`, { force: true })
    writeFileSync(`${file}.new`, `${JSON.stringify(context, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(`${file}.new`, file)
  } catch (error) {
    throw new Failed(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** Removes the file, unless another session has written it since. */
export function removeLaunchFile(file: string, { registration }: LaunchContext): void {
  if (registrationIn(file) === registration) rmSync(file, { force: true })
}

const isOther = (file: string): boolean => {
  const found = registrationIn(file)
  return found === undefined || found === ''
}

/** Of the session that the file is for; null: there is no file; undefined: it is no launch file. */
function registrationIn(file: string): string | null | undefined {
  try {
    const { auth, registration }: Partial<LaunchContext> = JSON.parse(readFileSync(file, 'utf8'))
    return typeof auth === 'string' ? registration : undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined
  }
}
