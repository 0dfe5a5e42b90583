import { SettingError } from './kinds.ts'

/** Usable servers: any, any but a standby, or one that also accepts writes by default. */
export type SessionAttributes = 'any' | 'primary' | 'read-write'

export interface DatabaseHosts {
  /** The address of the database on each server. */
  readonly urls: readonly string[]
  readonly attributes: SessionAttributes
}

/**
 * Reads an address in the form of libpq (PostgreSQL manual, 34.1.1.3): `postgres://user@a:5432,b:5432/name`, or
 * `postgres:///name?host=a,b&port=5432`. With several servers the default is `target_session_attrs=primary`.
 * @throws SettingError
 */
export function databaseHosts(url: string, name = 'DATABASE_URL'): DatabaseHosts {
  const [, head = '', authority = '', rest = ''] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  const [path = ''] = rest.split('?', 1)
  const query = rest.slice(path.length + 1)
  const parameters = new URLSearchParams(query)
  const hosts = (parameters.get('host') ?? authority).split(',')
  if (hosts.length > 1 && hosts.includes('')) throw new SettingError(`${name} has a comma without a host.`)
  const ports = parameters.get('port')?.split(',')
  if (ports !== undefined && ports.length > 1 && ports.length !== hosts.length)
    throw new SettingError(`${name} must have as many ports as hosts, or one port.`)
  const attributes = attributesOf(
    parameters.get('target_session_attrs') ?? (hosts.length > 1 ? 'primary' : 'any'),
    name,
  )
  // the address of one server stays unchanged, so it means the same as before
  if (hosts.length === 1 && !parameters.has('target_session_attrs')) return { urls: [url], attributes }
  parameters.delete('target_session_attrs')
  const urls = hosts.map((host, n) => {
    const own = new URLSearchParams(parameters)
    const port = ports?.[n] ?? ports?.[0]
    if (port !== undefined) own.set('port', port)
    if (parameters.has('host')) own.set('host', host)
    const query = own.size > 0 ? `?${own}` : ''
    return `${head}${parameters.has('host') ? authority : host}${path}${query}`
  })
  return { urls, attributes }
}

function attributesOf(value: string, name: string): SessionAttributes {
  if (value === 'any' || value === 'primary' || value === 'read-write') return value
  throw new SettingError(`${name} has a target_session_attrs that is not "any", "primary" or "read-write".`)
}
