import { databaseHosts } from './database-hosts.ts'
import { choice, integer, SettingError, text, url, type Env } from './settings.ts'

/** Address of one Postgres, or of several servers of which one takes writes; undefined: unset. @throws SettingError */
export function databaseUrl(env: Env, name = 'DATABASE_URL'): string | undefined {
  const value = env[name]
  if (!value) return undefined
  // each of them is an address by itself
  for (const one of databaseHosts(value, name).urls)
    url(name, { [name]: one }, { protocols: ['postgres', 'postgresql'] })
  return value
}

/** The same database as the role that owns the tables; undefined: unset. @throws SettingError */
export const migrationDatabaseUrl = (env: Env): string | undefined => databaseUrl(env, 'LRS_MIGRATION_DATABASE_URL')

/**
 * `east=postgres://…,west=postgres://…`: servers that have cells, by name. An address may have commas between hosts.
 * @throws SettingError
 */
export function cellServers(env: Env): ReadonlyMap<string, string> {
  const name = 'LRS_CELL_SERVERS'
  const entries = (env[name] ?? '').split(/,(?=\s*[\w-]+=postgres)/).filter((entry) => entry.trim() !== '')
  const servers = new Map<string, string>()
  for (const entry of entries) {
    const [, server, address] = /^\s*([a-z][a-z0-9-]{0,39})=(postgres(?:ql)?:\S+)\s*$/.exec(entry) ?? []
    if (server === undefined || servers.has(server))
      throw new SettingError(
        `${name} has an entry that is not usable, but must be name=postgres://…, several separated by commas; ` +
          'a name has small letters, digits and hyphens, and appears once.',
      )
    servers.set(server, databaseUrl({ DATABASE_URL: address })!)
  }
  return servers
}

/** Rules of settings that several processes read. */
export const bootstrapKey = {
  pattern: /^[\x21-\x39\x3b-\x7e]{1,200}$/,
  accepted: '1 to 200 printable ASCII characters without a colon or spaces',
}
export const bootstrapSecret = {
  pattern: /^[\x21-\x7e]{1,200}$/,
  accepted: '1 to 200 printable ASCII characters without spaces',
  secret: true,
}
export const signingKey = {
  pattern: /^[\w-]{43,}(,[\w-]{43,})*$/,
  accepted: '32 random bytes or more in base64url; several, separated by commas: the first one signs',
  secret: true,
}
export const secretKeys = {
  pattern: /^[\w-]{43,}(,[\w-]{43,})*$/,
  accepted: '32 random bytes or more in base64url; several, separated by commas: the first one seals, all open',
  secret: true,
}
export const storageKey = {
  pattern: /^[\w-]{43,}$/,
  accepted: '32 random bytes or more in base64url',
  secret: true,
}
/** Roles of the services that may call core. */
export const roles = ['gateway', 'portal', 'player', 'admin', 'service'] as const
export type Role = (typeof roles)[number]

const acceptedTokens = `gateway=…,portal=…,admin=… with 16 characters or more each; roles are ${roles.join(', ')}`

/** `gateway=…,portal=…`: a role may appear twice while its token changes. Undefined: unset. @throws SettingError */
export function serviceTokens(env: Env): { role: Role; token: string }[] | undefined {
  const value = text('LRS_SERVICE_TOKENS', env)
  return value?.split(',').map((entry) => {
    const [, name, token] = /^\s*(\w+)=([\x21-\x7e]{16,})\s*$/.exec(entry) ?? []
    const role = roles.find((role) => role === name)
    if (role === undefined || token === undefined) {
      const which = /^\s*(\w{1,20})=/.exec(entry)?.[1] ?? 'one of its parts'
      throw new SettingError(`LRS_SERVICE_TOKENS has no usable token for ${which}, but must be ${acceptedTokens}.`)
    }
    return { role, token }
  })
}

export const serviceToken = { pattern: /^[^\s,]{16,}$/, accepted: 'a token of at least 16 characters', secret: true }

const games = {
  pattern: /^https?:\/\/(\*\.)?[\w.:[\]-]+\/?$/,
  accepted: 'an origin such as https://games.example or https://*.games.example',
}

/** The origin on which games run, with `*` for one origin for each build; undefined: unset. */
export const gamesUrl = (env: Env): string | undefined => text('LRS_GAMES_URL', env, games)?.replace(/\/$/, '')

const origin = { pattern: /^https?:\/\/[\w.:[\]-]+\/?$/, accepted: 'an origin such as https://studio.example' }

/** The portal's own origin; undefined: unset. */
export const portalUrl = (env: Env): string | undefined => text('LRS_PORTAL_URL', env, origin)?.replace(/\/$/, '')

/** The endpoint to which games report, with a slash at its end; undefined: unset. */
export const xapiUrl = (env: Env): string | undefined =>
  url('LRS_XAPI_URL', env, { protocols: ['http', 'https'] })?.replace(/\/*$/, '/')

/** Whether all games share learners' names and agent profiles. */
export const tenancy = (env: Env): 'shared' | 'isolated' =>
  choice('LRS_TENANCY', env, { default: 'shared', of: ['shared', 'isolated'] })

/** Number of trusted proxies in front, whose X-Forwarded headers count. */
export const trustProxy = (env: Env): number => integer('LRS_TRUST_PROXY', env, { default: 0, min: 0, max: 10 })

/** Bytes that writes (LRS_DISK_RESERVE) and uploads (LRS_UPLOAD_RESERVE) leave free on the disk; undefined: unset. */
export const diskReserve = (env: Env): number | undefined => bytes('LRS_DISK_RESERVE', env)
export const uploadReserve = (env: Env): number | undefined => bytes('LRS_UPLOAD_RESERVE', env)

const bytes = (name: string, env: Env): number | undefined =>
  env[name] ? integer(name, env, { default: 0, min: 0, max: 1e15 - 1 }) : undefined
