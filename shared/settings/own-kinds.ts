import { versionOf } from '../headers.ts'
import { databaseHosts } from './database-hosts.ts'
import { changed, httpUrl, secret, SettingError, text, url, type Kind } from './kinds.ts'

const postgres = url('postgres', 'postgresql')

/** Address of one Postgres, or of several servers of which one takes writes. */
export const databaseUrl: Kind<string> = {
  parse(name, value) {
    // each of them is an address by itself
    for (const one of databaseHosts(value, name).urls) postgres.parse(name, one)
    return value
  },
  isSecret: true,
}

/** Addresses of one server each, separated by commas. */
export const readUrls: Kind<readonly string[]> = {
  parse: (name, value) =>
    value.split(/,(?=\s*postgres)/).map((entry) => {
      const url = databaseUrl.parse(name, entry.trim())
      if (databaseHosts(url, name).urls.length === 1) return url
      throw new SettingError(`${name} has an address of several servers: give each server an address of its own.`)
    }),
  isSecret: true,
}

/** `east=postgres://…,west=postgres://…`: servers by name. An address may have commas between hosts. */
export const cellServers: Kind<ReadonlyMap<string, string>> = {
  parse(name, value) {
    const servers = new Map<string, string>()
    for (const entry of value.split(/,(?=\s*[\w-]+=postgres)/).filter((entry) => entry.trim() !== '')) {
      const [, server, address] = /^\s*([a-z][a-z0-9-]{0,39})=(postgres(?:ql)?:\S+)\s*$/.exec(entry) ?? []
      if (server === undefined || servers.has(server))
        throw new SettingError(
          `${name} has an entry that is not usable, but must be name=postgres://…, several separated by commas; ` +
            'a name has small letters, digits and hyphens, and appears once.',
        )
      servers.set(server, databaseUrl.parse(name, address!))
    }
    return servers
  },
  isSecret: true,
}

/** `host:port`, `[::1]:port`, or the path of a Unix socket. */
export const socketAddress: Kind<{ readonly path: string } | { readonly host: string; readonly port: number }> = {
  parse(name, value) {
    if (/^\/.{1,100}$/.test(value)) return { path: value }
    const [, six, host = six, port] = /^(?:\[([\da-f:]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(value) ?? []
    if (host !== undefined && Number(port) > 0 && Number(port) < 65_536) return { host, port: Number(port) }
    throw new SettingError(`${name} must be host:port, or the path of a socket such as /run/clamav/clamd.ctl.`)
  },
}

/** Roles of the services that may call core. */
export const roles = ['gateway', 'portal', 'player', 'admin', 'service'] as const
export type Role = (typeof roles)[number]

const acceptedTokens = `gateway=…,portal=…,admin=… with 16 characters or more each; roles are ${roles.join(', ')}`

/** `gateway=…,portal=…`: a role may appear twice while its token changes. */
export const serviceTokens: Kind<readonly { role: Role; token: string }[]> = {
  parse: (name, value) =>
    value.split(',').map((entry) => {
      const [, word, token] = /^\s*(\w+)=([\x21-\x7e]{16,})\s*$/.exec(entry) ?? []
      const role = roles.find((role) => role === word)
      if (role !== undefined && token !== undefined) return { role, token }
      const which = /^\s*(\w{1,20})=/.exec(entry)?.[1] ?? 'one of its parts'
      throw new SettingError(`${name} has no usable token for ${which}, but must be ${acceptedTokens}.`)
    }),
  isSecret: true,
}

/** Without a comma: core reads several, separated by commas. */
export const token = secret(/^[\x21-\x2b\x2d-\x7e]{16,}$/, 'a token of at least 16 characters')

/** Several keys, separated by commas. */
export const keys = (use: string): Kind<string> =>
  secret(
    /^[\w-]{43,}(,[\w-]{43,})*$/,
    `32 random bytes or more in base64url; several, separated by commas: the first one ${use}`,
  )

/** An origin without a slash at its end. */
export const origin = (pattern: RegExp, accepted: string): Kind<string> =>
  changed(text(pattern, accepted), (value) => value.replace(/\/$/, ''))

/** An address with one slash at its end. */
export const endpoint = changed(httpUrl, (value) => value.replace(/\/*$/, '/'))

export const relays: Kind<string[]> = {
  parse: (name, value) => value.split(',').map((part) => httpUrl.parse(name, part.trim())),
}

/** An xAPI version, with its patch. */
export const xapiVersion: Kind<string> = {
  parse(name, value) {
    const version = versionOf(value)
    if (version !== undefined) return version
    throw new SettingError(`${name} must be 1.0.x or 2.0.x, for example 1.0.3.`)
  },
}

export const share: Kind<number> = {
  parse(name, value) {
    if (Number(value) >= 0 && Number(value) <= 1) return Number(value)
    throw new SettingError(`${name} must be a number from 0 to 1.`)
  },
}
