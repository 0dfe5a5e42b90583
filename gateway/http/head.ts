import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { readAuthorization, spokenVersions, versionOf } from '../../shared/headers.ts'
import { HttpRefusal, invalid, refusal, shown } from './failure.ts'
import { ours, say } from '../../shared/say.ts'

/* Reads the head of a request: its headers and the parameters in its query. */

const idPattern = /^[\w.-]{1,64}$/
const idPrefix = randomBytes(6).toString('base64url')
let idsMade = 0

/** The client's X-Request-Id if it is 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && idPattern.test(given)) return given
  idsMade++
  return `${idPrefix}.${idsMade.toString(36)}`
}

/** Whether the request has a credential. Only core knows whether it is valid. */
export function hasCredential({ authorization }: IncomingHttpHeaders): boolean {
  return !('fault' in readAuthorization(authorization))
}

const refusalOf = (fault: string) => refusal(Reason.UNAUTHENTICATED, fault)
/** One object for all requests: under load there are many. */
const missing = refusalOf((readAuthorization() as { fault: string }).fault)

/** The Authorization header in its one spelling. Throws an HttpRefusal: 401 when it is missing or spelled otherwise. */
export function requireCredential({ authorization }: IncomingHttpHeaders): string {
  const named = readAuthorization(authorization)
  if ('fault' in named) throw authorization === undefined ? missing : refusalOf(named.fault)
  return named.header
}

/** The version of xAPI that the request asks for; undefined: none, or one that is not supported. */
export function requestedVersion(headers: IncomingHttpHeaders): string | undefined {
  return versionOf(versionHeader(headers))
}

/** The same. Throws an HttpRefusal: 400 when it is missing or not supported. */
export function requireVersion(headers: IncomingHttpHeaders): string {
  const version = requestedVersion(headers)
  if (version !== undefined) return version
  const header = versionHeader(headers)
  const what = header === '' ? say`this header is missing` : say`${shown(header)} is not supported`
  throw invalid('X-Experience-API-Version', say`${what}; send ${ours(spokenVersions)}`)
}

/** Empty without the header. */
const versionHeader = ({ 'x-experience-api-version': version = '' }: IncomingHttpHeaders) => version as string

/** Refuses a Content-Type other than JSON in UTF-8. @param name of the header, in the message */
export function checkJsonType(value: string | undefined, name = 'Content-Type', accepted = 'application/json'): void {
  if (value === 'application/json') return
  if (value === undefined) throw invalid(name, ours(`this header is missing; send ${accepted}`))
  const [type = '', ...parameters] = value.toLowerCase().split(';')
  if (type.trim() !== 'application/json') throw invalid(name, say`must be ${ours(accepted)}, not ${shown(value)}`)
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw invalid(name, 'the charset of JSON is utf-8')
}

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
    if (pattern !== undefined && !pattern.test(value)) throw invalid(name, ours(`must be ${expected}`))
    values[name] = anyCase ? value.toLowerCase() : value
  }
  if (query.length > maxQuery && values['offset'] === undefined) {
    throw new HttpRefusal(414, { message: `The query is longer than ${maxQuery} bytes` })
  }
}

function unknown(name: string, known: KnownParameters): HttpRefusal {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const meant = Object.keys(known).find((one) => one.toLowerCase() === name.toLowerCase())
  if (meant !== undefined) return invalid(say`${shown}`, ours(`parameter names are case-sensitive; send ${meant}`))
  const names = Object.keys(known)
  return invalid(
    shown === '' ? 'query' : say`${shown}`,
    ours(`unknown parameter; this request accepts ${names.length > 0 ? names.join(', ') : 'none'}`),
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
