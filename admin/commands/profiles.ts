import { SettingError } from '../../shared/settings/kinds.ts'
import { askSecret } from '../ask-secret.ts'
import { localCommand } from '../command.ts'
import { coreOption, tokenOption, type Given } from '../config.ts'
import { local, profilesFile, readProfiles, writeProfiles } from '../profiles.ts'
import { table } from '../show.ts'

const which = { '<name>': 'name of the profile' }

export const commands = {
  add: localCommand({
    about: 'store --core and a token (--token, LRS_SERVICE_TOKEN, or a line on stdin) under a name',
    takes: which,
    examples: [
      'profile add live --core https://core.example.org',
      'profile add live --core https://core.example.org < token.txt',
    ],
    async run(session, { name }) {
      const { env } = session
      const options = session.command.optsWithGlobals<Given>()
      if (!/^[\w][\w.-]{0,63}$/.test(name) || name === local)
        throw new SettingError(
          `${JSON.stringify(name)} is not a valid name for a profile. Use letters, digits, "_", "-" and ".", but not "${local}".`,
        )
      const core = coreOption(options)?.replace(/\/+$/, '')
      if (core === undefined) throw new SettingError('--core is missing: the address of the core of this profile.')
      const asked = () => askSecret(session, 'Service token of the role admin (it is not shown):')
      const token = tokenOption(options) ?? tokenOption({ token: env['LRS_SERVICE_TOKEN'] || (await asked()) })
      if (token === undefined)
        throw new SettingError('The token is missing: use --token, LRS_SERVICE_TOKEN, or a line on stdin.')
      const kept = readProfiles(env)
      const current = Object.keys(kept.profiles).length === 0 ? name : kept.current
      writeProfiles(env, { current, profiles: { ...kept.profiles, [name]: { core, token } } })
      const text = `Stored ${name} in ${profilesFile(env)}${current === name ? '. It is in use.' : '.'}`
      return { json: { name, core, current: current === name }, text }
    },
  }),
  use: localCommand({
    about: 'use this profile from now on; "local" is the core that npm start runs here',
    takes: which,
    examples: ['profile use live', 'profile use local'],
    async run({ env }, { name }) {
      const { profiles } = readProfiles(env)
      requireProfile(profiles, name)
      writeProfiles(env, { current: name === local ? undefined : name, profiles })
      const what = name === local ? 'the core that npm start runs here' : `${name}, ${profiles[name]!.core}`
      return { json: { name }, text: `In use: ${what}.` }
    },
  }),
  list: localCommand({
    about: 'list names and addresses; tokens are never shown',
    examples: ['profile list'],
    async run({ env }) {
      const { current = local, profiles } = readProfiles(env)
      const own = Object.entries(profiles).map(([name, { core }]) => ({ name, core }))
      const text = table([{ name: local, core: 'what npm start runs here' }, ...own], '', {
        '': ({ name }) => (name === current ? '*' : ''),
        name: ({ name }) => name,
        core: ({ core }) => core,
      })
      return { json: { current, profiles: own }, text }
    },
  }),
  remove: localCommand({
    about: 'remove a profile',
    takes: which,
    examples: ['profile remove live'],
    async run({ env }, { name }) {
      const { current, profiles } = readProfiles(env)
      if (name === local) throw new SettingError(`"${local}" cannot be removed.`)
      requireProfile(profiles, name)
      const { [name]: _, ...left } = profiles
      writeProfiles(env, { current: current === name ? undefined : current, profiles: left })
      return { json: { name }, text: `Removed: ${name}.` }
    },
  }),
}

function requireProfile(profiles: object, name: string): void {
  if (name !== local && !Object.hasOwn(profiles, name))
    throw new SettingError(`There is no profile ${JSON.stringify(name)}: "profile list" shows them.`)
}
