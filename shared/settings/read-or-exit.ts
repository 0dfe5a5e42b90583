import { withSecretFiles } from './secret-files.ts'
import { type Env, SettingError } from './kinds.ts'

/** Reads settings for a process: a wrong one ends it with one line on stderr and exit code 2. */
export function readOrExit<T>(read: (env: Env) => T): T {
  try {
    return read(withSecretFiles(process.env))
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}
