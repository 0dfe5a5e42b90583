import { readFileSync } from 'node:fs'
import { type Env, SettingError } from './settings.ts'

/** Settings whose value may be in a file, like secrets of containers: the setting `<name>_FILE` is its path. */
export const secretSettings = [
  'DATABASE_URL',
  'LRS_MIGRATION_DATABASE_URL',
  'LRS_CELL_SERVERS',
  'LRS_SIGNING_KEY',
  'LRS_SECRET_KEYS',
  'LRS_SERVICE_TOKENS',
  'LRS_SERVICE_TOKEN',
  'LRS_TOKEN',
  'LRS_STORAGE_KEY',
  'LRS_BOOTSTRAP_SECRET',
  'LRS_S3_SECRET_KEY',
  'LRS_SMTP_URL',
] as const

/** The environment with the contents of these files as values. @throws SettingError */
export function withSecretFiles(env: Env): Env {
  const all: Record<string, string | undefined> = { ...env }
  for (const name of secretSettings) {
    const file = env[`${name}_FILE`]
    // a process that this one starts must not look for the file again
    delete all[`${name}_FILE`]
    if (!file) continue
    if (env[name]) throw new SettingError(`${name} and ${name}_FILE are both set: set one of them.`)
    all[name] = contentOf(file, `${name}_FILE`)
  }
  return all
}

function contentOf(file: string, setting: string): string {
  let content: string
  try {
    content = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingError(`${setting} names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (content !== '') return content
  throw new SettingError(`${setting} names an empty file (${file}): write the value into it.`)
}
