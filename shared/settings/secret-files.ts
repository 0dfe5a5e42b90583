import { readFileSync } from 'node:fs'
import { type Env, SettingError } from './kinds.ts'
import { secretSettings } from './settings.ts'
import { table } from './table.ts'

/** The environment with the contents of these files as values. @throws SettingError */
export function withSecretFiles(env: Env): Env {
  const all: Record<string, string | undefined> = { ...env }
  for (const name of secretSettings) {
    const file = env[`${name}_FILE`]
    // a process that this one starts must not look for the file again
    if (!(`${name}_FILE` in table)) delete all[`${name}_FILE`]
    if (!file) continue
    if (env[name]) throw new SettingError(`${name} and ${name}_FILE are both set: set one of them.`)
    all[name] = contentOf(file, `${name}_FILE`)
  }
  return all
}

/** The value in a file. @throws SettingError */
export function contentOf(file: string, setting: string): string {
  let content: string
  try {
    content = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingError(`${setting} names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (content !== '') return content
  throw new SettingError(`${setting} names an empty file (${file}): write the value into it.`)
}
