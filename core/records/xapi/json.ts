import { isUtf8 } from 'node:buffer'
import { duplicateKey } from './duplicate.ts'
import { Problem } from '../../process/problem.ts'
import { endOfScalar, endOfString, skipSpace, stringOf } from './spans.ts'
import { say } from '../../../shared/say.ts'

export interface JsonText {
  /** The JSON as it came. */
  text: string
  /** The parsed value. `__proto__` is an own property: never copy members by keys from outside. */
  value: unknown
}

/** Most levels of nested objects and arrays. */
const maxDepth = 64

/**
 * Reads strict JSON (RFC 8259): valid UTF-8 without byte order mark, at most 64 levels deep, without duplicate keys.
 * @param list what the elements of a top-level array are called in paths, `statements` for `statements[3].actor`
 * @throws Problem
 */
export function parseJson(bytes: Uint8Array, list = ''): JsonText {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new Problem('', 'must be JSON without a byte order mark')
  }
  if (!isUtf8(bytes)) throw new Problem('', 'must be JSON in valid UTF-8')
  const colons = countColons(bytes)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const value = parsed(text)
  if (countKeys(value) !== colons) throw new Problem(say`${duplicateKey(text, list)}`, 'must be given only once')
  return { text, value }
}

/** Counts the colons outside strings, one for each member. It refuses deep nesting before any parser sees it. */
function countColons(bytes: Uint8Array): number {
  let depth = 0
  let colons = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0x22) at = endOfBytes(bytes, at)
    else if (byte === 0x3a) colons++
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw new Problem('', `must be at most ${maxDepth} levels deep`)
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return colons
}

/** The same as endOfString(), of bytes. */
function endOfBytes(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) return at
    if (byte === 0x5c) at++
  }
  return bytes.length
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Problem('', say`must be valid JSON: ${(error as SyntaxError).message}`)
  }
}

/** The number of members at all levels. It is below the number of colons if a key was a duplicate. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) count += countKeys(element)
  } else {
    for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key])
  }
  return count
}

/** Most levels of a text with escaped keys: each takes some of the stack. */
const mostLevels = 1_000

/**
 * JSON.parse for texts from outside. V8 (Node 24 to 26) may replace an escaped key by a key of an earlier text, from
 * any sender: https://github.com/nodejs/node/issues/63785. This function parses texts with escaped keys itself.
 * @throws SyntaxError
 */
export function parse(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? valueOf(text) : value
}

function hasEscapedKey(text: string): boolean {
  if (!text.includes('\\')) return false
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = endOfString(text, start) + 1
    if (text.charCodeAt(skipSpace(text, end)) === 0x3a && text.slice(start, end).includes('\\')) return true
    start = text.indexOf('"', end)
  }
  return false
}

/** The value of valid JSON. It reads each character once, however deep it is. */
function valueOf(text: string): unknown {
  let at = skipSpace(text, 0)
  let levels = 0

  /** The value at `at`, which is then after it. */
  function value(): unknown {
    const start = at
    switch (text.charCodeAt(at)) {
      case 0x22:
        return string()
      case 0x5b:
        return container<unknown[]>(0x5d, [], (list) => list.push(value()))
      case 0x7b:
        return container<Record<string, unknown>>(0x7d, {}, (object) => {
          const key = string()
          at = skipSpace(text, skipSpace(text, at) + 1)
          set(object, key, value())
        })
      default:
        at = endOfScalar(text, at)
        return JSON.parse(text.slice(start, at))
    }
  }

  function string(): string {
    const start = at
    at = endOfString(text, at) + 1
    return stringOf(text, start, at)
  }

  function container<T>(close: number, made: T, readOne: (made: T) => void): T {
    if (++levels > mostLevels) throw new SyntaxError(`more than ${mostLevels} levels in a text with escaped keys`)
    at = skipSpace(text, at + 1)
    for (let first = true; text.charCodeAt(at) !== close; first = false) {
      if (!first) at = skipSpace(text, at + 1)
      readOne(made)
      at = skipSpace(text, at)
    }
    at++
    levels--
    return made
  }

  return value()
}

function set(object: Record<string, unknown>, key: string, value: unknown): void {
  // an assignment would set the prototype
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}
