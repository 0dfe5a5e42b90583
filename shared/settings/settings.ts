/** The environment, or the one that a test gives. An empty value counts as unset. */
export type Env = Readonly<Record<string, string | undefined>>

/** A setting whose value is not accepted; the message is the one line to show. */
export class SettingError extends Error {
  override name = 'SettingError'
}

function refuse(name: string, shown: string, accepted: string): never {
  throw new SettingError(`${name} is ${shown}, but must be ${accepted}.`)
}

/** A whole number within `min` and `max`, both included. */
export function integer(name: string, env: Env, rule: { default: number; min: number; max: number }): number {
  const value = env[name]
  if (!value) return rule.default
  const number = /^-?\d{1,15}$/.test(value) ? Number(value) : NaN
  if (number >= rule.min && number <= rule.max) return number
  return refuse(name, quote(value), `a whole number from ${rule.min} to ${rule.max}`)
}

/** One of a few words. */
export function choice<T extends string>(name: string, env: Env, rule: { default: T; of: readonly T[] }): T {
  const value = env[name]
  if (!value) return rule.default
  const found = rule.of.find((word) => word === value)
  if (found !== undefined) return found
  const words = rule.of.map((word) => `"${word}"`)
  return refuse(
    name,
    quote(value),
    words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]!,
  )
}

interface TextRule {
  /** The pattern of accepted values, and its description. */
  pattern?: RegExp
  accepted?: string
  /** The value is never shown. */
  secret?: boolean
}

/** A text, unchanged; with `default` it is never undefined. */
export function text(name: string, env: Env, rule: TextRule & { default: string }): string
export function text(name: string, env: Env, rule?: TextRule): string | undefined
export function text(name: string, env: Env, rule: TextRule & { default?: string } = {}): string | undefined {
  const value = env[name]
  if (!value) return rule.default
  if (rule.pattern === undefined || rule.pattern.test(value)) return value
  return refuse(
    name,
    rule.secret ? 'set' : quote(value),
    rule.accepted ?? `something that matches ${rule.pattern.source}`,
  )
}

interface UrlRule {
  /** Without colons: `['http', 'https']`. */
  protocols: readonly string[]
}

/** An absolute URL with one of the protocols, unchanged. It is never shown: it may contain a password. */
export function url(name: string, env: Env, rule: UrlRule & { default: string }): string
export function url(name: string, env: Env, rule: UrlRule): string | undefined
export function url(name: string, env: Env, rule: UrlRule & { default?: string }): string | undefined {
  const value = env[name]
  if (!value) return rule.default
  // postgres://user@/name, without a host or with the host as a parameter, is common but no valid URL
  const parsed = URL.parse(value) ?? URL.parse(value.replace('@/', '@localhost/'))
  if (parsed !== null && rule.protocols.includes(parsed.protocol.slice(0, -1))) return value
  return refuse(name, 'not an accepted address', rule.protocols.map((protocol) => `${protocol}://…`).join(' or '))
}

function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
