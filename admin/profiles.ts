import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SettingError, type Env } from '../shared/settings/kinds.ts'

/** A core that is used often, and the token for it. */
export interface Profile {
  readonly core: string
  readonly token: string
}

export interface Profiles {
  /** The one that counts where nothing else is said; none: this machine's own. */
  current?: string
  profiles: Record<string, Profile>
}

/** Stands for what `npm start` runs here; no profile may be called so. */
export const local = 'local'

export const profilesFile = (env: Env): string =>
  resolve(
    env['LRS_PROFILE'] ||
      join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'games-lrs', 'profiles.json'),
  )

/** @throws SettingError when the file is not what it should be */
export function readProfiles(env: Env): Profiles {
  const file = profilesFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { profiles: {} }
    throw new SettingError(`The profiles in ${file} cannot be read (${code}).`)
  }
  try {
    const { current, profiles }: Profiles = JSON.parse(text)
    const entries = Object.entries(profiles).filter(
      ([, { core, token }]) => typeof core === 'string' && typeof token === 'string',
    )
    return { current, profiles: Object.fromEntries(entries) }
  } catch {
    throw new SettingError(
      `${file} does not contain valid profiles. Correct it, or remove it and add the profiles again.`,
    )
  }
}

/** For its owner only: it holds tokens. */
export function writeProfiles(env: Env, profiles: Profiles): void {
  const file = profilesFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}

/** The profile of this name, or the current one; undefined: this machine's own. @throws SettingError */
export function profileOf(name: string | undefined, env: Env): Profile | undefined {
  if (name === local) return undefined
  const { current, profiles } = readProfiles(env)
  const wanted = name ?? current
  if (wanted === undefined) return undefined
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted]
  throw new SettingError(`There is no profile ${JSON.stringify(wanted)}: "profile list" shows them.`)
}
