/** Finds values in JSON, to pass them on byte for byte. By hand: jsonc-parser 3.3 takes ten times as long. */
import { isUtf8 } from 'node:buffer'

const quote = 0x22
const backslash = 0x5c
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d

export function skipSpace(bytes: Uint8Array, at: number): number {
  while (isSpace(bytes[at])) at++
  return at
}

/** The index after the value that begins here; the length of the bytes when it does not end in them. */
function valueEnd(bytes: Uint8Array, at: number): number {
  let depth = 0
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) at = stringEnd(bytes, at) - 1
    else if (isOpening(byte)) depth++
    else if (isClosing(byte) && --depth < 0) return at
    else if (depth === 0 && (byte === 0x2c || isSpace(byte))) return at
    if (depth === 0 && (byte === quote || isClosing(byte))) return at + 1
  }
  return at
}

function stringEnd(bytes: Uint8Array, at: number): number {
  for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
  return at + 1
}

/** A member of an object: its decoded key, and the bytes of its key and its value. */
export interface Member {
  readonly key: string
  readonly name: Uint8Array
  readonly value: Uint8Array
}

/** The members of the object that the bytes hold. */
export function* membersOf(bytes: Uint8Array): Generator<Member> {
  for (let at = skipSpace(bytes, 0) + 1; at < bytes.length;) {
    at = skipSpace(bytes, at)
    if (bytes[at] !== quote) return
    const name = bytes.subarray(at, stringEnd(bytes, at))
    const start = skipSpace(bytes, skipSpace(bytes, at + name.length) + 1)
    const end = valueEnd(bytes, start)
    yield { key: JSON.parse(Buffer.from(name).toString()), name, value: bytes.subarray(start, end) }
    at = skipSpace(bytes, end) + 1
  }
}

/** The value of a member of the object that the bytes hold; undefined: there is none. */
export function memberOf(bytes: Uint8Array, wanted: string): Uint8Array | undefined {
  for (const { key, value } of membersOf(bytes)) if (key === wanted) return value
  return undefined
}

/** The elements of the array that the bytes hold. */
export function elementsOf(bytes: Uint8Array): Uint8Array[] {
  const elements: Uint8Array[] = []
  for (let at = skipSpace(bytes, skipSpace(bytes, 0) + 1); at < bytes.length && !isClosing(bytes[at]!);) {
    const end = valueEnd(bytes, at)
    elements.push(bytes.subarray(at, end))
    at = skipSpace(bytes, end)
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1)
  }
  return elements
}

export function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return isUtf8(bytes)
  } catch {
    return false
  }
}
