import type { IncomingMessage } from 'node:http'
import { sizes } from './limits.ts'

/* Rules of headers that several processes read. */

/** What an Authorization header names. */
export type Named =
  | { readonly scheme: 'Basic'; readonly key: string; readonly secret: string; readonly header: string }
  | { readonly scheme: 'Bearer'; readonly token: string; readonly header: string }

const accepted = '"Basic <base64 of key:secret>" or "Bearer <launch token>"'
const fault = (what: string) => ({ fault: `Authorization: ${what}` })

/**
 * Reads an Authorization header. A credential has one spelling, so one caller never counts as several: the scheme in
 * any case (RFC 9110), one space, then the base64 of key:secret as an encoder writes it, or the token as core made it.
 * `header` is that spelling. Core compares a token's signature byte for byte.
 */
export function readAuthorization(given = ''): Named | { readonly fault: string } {
  if (given === '') return fault(`this header is missing; send ${accepted}`)
  const [, word, spaces, value = ''] = /^(basic|bearer)( *)(.*)$/is.exec(given) ?? []
  if (word === undefined || spaces === '') return fault(`must be ${accepted}`)
  const scheme = word.toLowerCase() === 'basic' ? 'Basic' : 'Bearer'
  if (spaces !== ' ') return fault(`write one space after ${scheme}, not ${spaces!.length}`)
  const header = `${scheme} ${value}`
  if (scheme === 'Bearer') {
    if (/^[\w.~+/-]+=*$/.test(value)) return { scheme, token: value, header }
    return fault('the token has a character that tokens never have')
  }
  const text = Buffer.from(value, 'base64').toString()
  // this also finds bytes that are not UTF-8, which would be read as one and the same character
  if (value === '' || Buffer.from(text).toString('base64') !== value)
    return fault('Basic must be followed by base64 of key:secret in UTF-8, with its padding and nothing after it')
  const colon = text.indexOf(':')
  if (colon < 0) return fault('Basic has no colon between key and secret')
  return { scheme, key: text.slice(0, colon), secret: text.slice(colon + 1), header }
}

/** Values of X-Experience-API-Version that the service takes. */
export const spoken = /^(?:1\.0|2\.0)(?:\.\d{1,3})?$/
/** A version without its patch means the latest one. */
const latest: Readonly<Record<string, string>> = { '1.0': '1.0.3', '2.0': '2.0.0' }

/** The versions that the service speaks, as messages name them. */
export const spokenVersions = '1.0.3 (any 1.0.x) or 2.0.x'

/** The version that X-Experience-API-Version names, with its patch: 1.0.x or 2.0.x; undefined: none that we speak. */
export function versionOf(header: string): string | undefined {
  return spoken.test(header) ? (latest[header] ?? header) : undefined
}

/** Whether the version is one of IEEE 9274.1.1 (2.0.x). */
export function isIeee(version: string): boolean {
  return version.startsWith('2.')
}

/** A header that a proxy in front may have read in another way. */
export interface Ambiguity {
  readonly status: 400 | 501
  readonly path: string
  readonly message: string
}

/** Headers that may occur once. Node silently keeps the first; a proxy in front may have used the last. */
const once = ['host', 'authorization', 'content-type']

/**
 * What of a request a proxy may read differently: a header twice, HTTP/1.1 without Host (RFC 9112 3.2), or a transfer
 * coding other than `chunked` (6.1): Node reads the last coding and decodes no other one.
 */
export function ambiguityOf({ headers, rawHeaders, httpVersion }: IncomingMessage): Ambiguity | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return ambiguity(400, 'Host', 'this header is missing')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return ambiguity(501, 'Transfer-Encoding', 'must be chunked, or omitted')
  for (const name of once) {
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const other = rawHeaders[at]!
      if (other.length === name.length && other.toLowerCase() === name && ++count > 1)
        return ambiguity(400, other, 'this header must be given only once')
    }
  }
  return undefined
}

const ambiguity = (status: 400 | 501, path: string, what: string): Ambiguity => ({
  status,
  path,
  message: `${path}: ${what}`,
})

/** Says what is wrong with the Content-Type of a document, which is sent back as a header; undefined: nothing. */
export function wrongContentType(type: string): string | undefined {
  const fits = type.length <= sizes.contentType && /^[\x20-\x7e]+$/.test(type)
  return fits ? undefined : `must be a media type of 1 to ${sizes.contentType} printable ASCII characters`
}
