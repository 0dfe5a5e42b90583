import { invalid, Refusal } from './failure.ts'

/** What a query parameter has to be. */
export interface Parameter {
  required?: true
  pattern?: RegExp
  /** What `pattern` accepts, in words. */
  expected?: string
  /** Its values mean the same in any case; whoever reads it gets lower case. */
  anyCase?: true
}

export const text: Parameter = {}
export const required: Parameter = { required: true }
/** Python's clients send `True`. */
export const flag: Parameter = { pattern: /^(?:true|false)$/i, expected: 'true or false', anyCase: true }
export const count: Parameter = { pattern: /^\d+$/, expected: 'a whole number, 0 or more' }
export const format: Parameter = { pattern: /^(?:ids|exact|canonical)$/, expected: 'ids, exact or canonical' }

/** The parameters that a method of a resource knows, by name. */
export type KnownParameters = Readonly<Record<string, Parameter>>

/** ParameterValues by name, decoded. */
export type ParameterValues = Readonly<Record<string, string | undefined>>

/** Room for an agent and IRIs of some thousand characters; a `more` link may add its offset on top. */
const maxQuery = 16_384
const maxOffset = 512

/**
 * The parameters of a request: every one known, in its exact case, given once and not empty, all required ones there
 * (xAPI 1.0.3 Communication 3.2). Throws a Refusal: 400 that names the parameter, or 414.
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
  if (query.length > maxQuery + maxOffset) throw new Refusal(414, { message: `The query is longer than ${maxQuery} bytes` })
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
    throw new Refusal(414, { message: `The query is longer than ${maxQuery} bytes` })
  }
}

function unknown(name: string, known: KnownParameters): Refusal {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const meant = Object.keys(known).find((one) => one.toLowerCase() === name.toLowerCase())
  if (meant !== undefined) return invalid(shown, `names of parameters are case-sensitive; this one is ${meant}`)
  const names = Object.keys(known)
  return invalid(shown || 'query', `no parameter of this request; it knows ${names.length > 0 ? names.join(', ') : 'none'}`)
}

/** Text of a part of a query or form. Throws a Refusal that names `path`. */
export function decode(part: string, path: string): string {
  // Node hands over bytes above 0x7f as Latin-1, which would be stored as something else
  if (!/^[\x21-\x7e]*$/.test(part)) throw invalid(path, 'characters outside ASCII must be percent-encoded')
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw invalid(path, 'the percent-encoding is malformed or not of UTF-8')
  }
}
