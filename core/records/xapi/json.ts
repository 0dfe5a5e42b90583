import { isUtf8 } from 'node:buffer'
import { duplicateKey } from './duplicate.ts'
import { parse } from './parse.ts'
import { Problem } from '../../process/problem.ts'

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
  const value = valueOf(text)
  if (countKeys(value) !== colons) throw new Problem(duplicateKey(text, list), 'must be given only once')
  return { text, value }
}

/** Counts the colons outside strings, one for each member. It refuses deep nesting before any parser sees it. */
function countColons(bytes: Uint8Array): number {
  let depth = 0
  let colons = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0x22) at = endOfString(bytes, at)
    else if (byte === 0x3a) colons++
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw new Problem('', `must be at most ${maxDepth} levels deep`)
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return colons
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) return at
    if (byte === 0x5c) at++
  }
  return bytes.length
}

function valueOf(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Problem('', `must be valid JSON: ${(error as SyntaxError).message}`)
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
