import { invalid, HttpRefusal } from './failure.ts'

/** The rules of a query parameter. */
export interface Parameter {
  required?: true
  pattern?: RegExp
  /** What `pattern` accepts, in words. */
  expected?: string
  /** Values are case-insensitive; they are returned in lower case. */
  anyCase?: true
}

export const text: Parameter = {}
export const required: Parameter = { required: true }
/** Clients in Python send `True`. */
export const flag: Parameter = { pattern: /^(?:true|false)$/i, expected: 'true or false', anyCase: true }
export const count: Parameter = { pattern: /^\d+$/, expected: 'a whole number, 0 or more' }
export const format: Parameter = { pattern: /^(?:ids|exact|canonical)$/, expected: 'ids, exact or canonical' }

/** The parameters that a method of a resource accepts, by name. */
export type KnownParameters = Readonly<Record<string, Parameter>>

/** Values by name, decoded. */
export type ParameterValues = Readonly<Record<string, string | undefined>>

/** Room for an agent and IRIs of several thousand characters. The offset in a `more` link may be added to it. */
const maxQuery = 16_384
const maxOffset = 512

/**
 * Reads the parameters of a request. Each must be known, in its exact case, given once and not empty; required ones
 * must be there (xAPI 1.0.3 Communication 3.2). Throws an HttpRefusal: 400 that names the parameter, or 414.
 */
export function readParameters(target: string, known: KnownParameters): ParameterValues {
  const values: Record<string, string | undefined> = Object.create(null)
  const start = target.indexOf('?')
  if (start !== -1) readQuery(target.slice(start + 1), known, values)
  for (const name in known) {
    if (known[name]!.required && values[name] === undefined) throw invalid(name, 'this parameter is required')
  }
  return values
}

function readQuery(query: string, known: KnownParameters, values: Record<string, string | undefined>): void {
  if (query.length > maxQuery + maxOffset)
    throw new HttpRefusal(414, { message: `The query is longer than ${maxQuery} bytes` })
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query')
    if (!Object.hasOwn(known, name)) throw unknown(name, known)
    if (values[name] !== undefined) throw invalid(name, 'this parameter is given more than once')
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1), name)
    if (value === '') throw invalid(name, 'must not be empty')
    const { pattern, expected, anyCase } = known[name]!
    if (pattern !== undefined && !pattern.test(value)) throw invalid(name, `must be ${expected}`)
    values[name] = anyCase ? value.toLowerCase() : value
  }
  if (query.length > maxQuery && values['offset'] === undefined) {
    throw new HttpRefusal(414, { message: `The query is longer than ${maxQuery} bytes` })
  }
}

function unknown(name: string, known: KnownParameters): HttpRefusal {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const meant = Object.keys(known).find((one) => one.toLowerCase() === name.toLowerCase())
  if (meant !== undefined) return invalid(shown, `parameter names are case-sensitive; send ${meant}`)
  const names = Object.keys(known)
  return invalid(
    shown || 'query',
    `unknown parameter; this request accepts ${names.length > 0 ? names.join(', ') : 'none'}`,
  )
}

/** Decodes a name or value of a query or form. Throws an HttpRefusal that names `path`. */
export function decode(part: string, path: string): string {
  // Node decodes bytes above 0x7f as Latin-1, so other text than was sent would be stored
  if (!/^[\x21-\x7e]*$/.test(part)) throw invalid(path, 'characters outside ASCII must be percent-encoded')
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw invalid(path, 'the percent-encoding is malformed or not UTF-8')
  }
}
