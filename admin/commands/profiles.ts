import { SettingError } from '../../shared/settings/kinds.ts'
import { askSecret } from '../ask-secret.ts'
import { coreOption, tokenOption, type Given } from '../config.ts'
import { local, profilesFile, readProfiles, writeProfiles } from '../profiles.ts'
import type { Work } from '../session.ts'
import { table } from '../show.ts'

export const addProfile: Work<Given> = async (session, [name], options) => {
  const { env } = session
  if (!/^[\w][\w.-]{0,63}$/.test(name!) || name === local)
    throw new SettingError(
      `${JSON.stringify(name)} is not a valid name for a profile. Use letters, digits, "_", "-" and ".", but not "${local}".`,
    )
  const core = coreOption(options)?.replace(/\/+$/, '')
  if (core === undefined) throw new SettingError('--core is missing: the address of the core of this profile.')
  const token =
    tokenOption(options) ??
    tokenOption({
      token:
        env['LRS_SERVICE_TOKEN'] || (await askSecret(session, 'Service token of the role admin (it is not shown):')),
    })
  if (token === undefined)
    throw new SettingError('The token is missing: use --token, LRS_SERVICE_TOKEN, or a line on stdin.')
  const kept = readProfiles(env)
  const isFirst = Object.keys(kept.profiles).length === 0
  const current = isFirst ? name : kept.current
  writeProfiles(env, { current, profiles: { ...kept.profiles, [name!]: { core, token } } })
  return {
    json: { name: name!, core, current: current === name },
    text: `Stored ${name} in ${profilesFile(env)}${current === name ? '. It is in use.' : '.'}`,
  }
}

export const useProfile: Work<object> = async ({ env }, [name]) => {
  const { profiles } = readProfiles(env)
  requireProfile(profiles, name!)
  writeProfiles(env, { current: name === local ? undefined : name, profiles })
  return {
    json: { name: name! },
    text: name === local ? 'In use: the core that npm start runs here.' : `In use: ${name}, ${profiles[name!]!.core}.`,
  }
}

export const listProfiles: Work<object> = async ({ env }) => {
  const { current, profiles } = readProfiles(env)
  const all = [
    { name: local, core: 'what npm start runs here' },
    ...Object.entries(profiles).map(([name, { core }]) => ({ name, core })),
  ]
  const rows = all.map(({ name, core }) => [name === (current ?? local) ? '*' : '', name, core])
  return { json: { current: current ?? local, profiles: all.slice(1) }, text: table(['', 'name', 'core'], rows, '') }
}

export const removeProfile: Work<object> = async ({ env }, [name]) => {
  const { current, profiles } = readProfiles(env)
  if (name === local) throw new SettingError(`"${local}" cannot be removed.`)
  requireProfile(profiles, name!)
  const { [name!]: _, ...left } = profiles
  writeProfiles(env, { current: current === name ? undefined : current, profiles: left })
  return { json: { name: name! }, text: `Removed: ${name}.` }
}

function requireProfile(profiles: object, name: string): void {
  if (name !== local && !Object.hasOwn(profiles, name))
    throw new SettingError(`There is no profile ${JSON.stringify(name)}: "profile list" shows them.`)
}
