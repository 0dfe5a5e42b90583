/** The environment, or the one that a test gives. An empty value counts as unset. */
export type Env = Readonly<Record<string, string | undefined>>

/** A setting whose value is not accepted; the message is the one line to show. */
export class SettingError extends Error {
  override name = 'SettingError'
}

/** How a value is read. */
export interface Kind<T> {
  /** @param name of the setting or the option, for messages @throws SettingError */
  parse(name: string, value: string): T
  /** The value is never shown, and may be in a file. */
  readonly isSecret?: boolean
}

function refuse(name: string, shown: string, accepted: string): never {
  throw new SettingError(`${name} is ${shown}, but must be ${accepted}.`)
}

/** A whole number within `min` and `max`, both included. */
export const integer = (min: number, max: number): Kind<number> => ({
  parse(name, value) {
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) return number
    return refuse(name, quote(value), `a whole number from ${min} to ${max}`)
  },
})

/** Any free port is 0. */
export const port = integer(0, 65_535)

/** One of a few words. */
export const choice = <const T extends string>(...of: readonly T[]): Kind<T> => ({
  parse(name, value) {
    const found = of.find((word) => word === value)
    if (found !== undefined) return found
    const words = of.map((word) => `"${word}"`)
    return refuse(
      name,
      quote(value),
      words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]!,
    )
  },
})

/** A text, unchanged. */
export const text = (pattern = /^/, accepted = ''): Kind<string> => ({
  parse: (name, value) => (pattern.test(value) ? value : refuse(name, quote(value), accepted)),
})

/** The same for a text that is never shown. */
export const secret = (pattern = /^/, accepted = ''): Kind<string> => ({
  parse: (name, value) => (pattern.test(value) ? value : refuse(name, 'set', accepted)),
  isSecret: true,
})

/** An absolute URL with one of the protocols, unchanged. It is never shown: it may contain a password. */
export const url = (...protocols: readonly string[]): Kind<string> => ({
  parse(name, value) {
    // postgres://user@/name, without a host or with the host as a parameter, is common but no valid URL
    const parsed = URL.parse(value) ?? URL.parse(value.replace('@/', '@localhost/'))
    if (parsed !== null && protocols.includes(parsed.protocol.slice(0, -1))) return value
    return refuse(name, 'not an accepted address', protocols.map((protocol) => `${protocol}://…`).join(' or '))
  },
})

export const httpUrl = url('http', 'https')

/** The value of `kind`, changed. */
export const changed = <T, U>(kind: Kind<T>, change: (value: T) => U): Kind<U> => ({
  ...kind,
  parse: (name, value) => change(kind.parse(name, value)),
})

function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
