import { Problem } from '../../process/problem.ts'

/** A JSON object as JSON.parse gives it: own keys only, `__proto__` among them if it came. */
export type Json = Record<string, unknown>

/** The path of a property with a plain name: `actor` in `statements[3]` is `statements[3].actor`. */
export function at(path: string, key: string): string {
  return path === '' ? key : path + '.' + key
}

/** The path of an element of an array, or of a property whose name came from outside: `display["en-GB"]`. */
export function within(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return `${path}[${quote(key)}]`
}

/** A text from outside, escaped and shortened for a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)
}

export function fail(path: string, what: string): never {
  throw new Problem(path, what)
}

/** Fails for a value of the wrong kind; `expected` is a noun phrase such as `a string`. */
export function wrong(value: unknown, path: string, expected: string): never {
  throw new Problem(path, `must be ${expected}, not ${kind(value)}`)
}

function kind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object') return 'an object'
  return String(value)
}

/** Fails for a property that the standard does not know here; names are case-sensitive. */
export function unknown(path: string, key: string, type: string, properties: string): never {
  const where = /^[A-Za-z]\w*$/.test(key) && key.length <= 100 ? at(path, key) : within(path, key)
  throw new Problem(where, `is no property of ${type}, which has ${properties} (case matters)`)
}

export function checkObject(value: unknown, path: string, expected: string): asserts value is Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(value, path, `${expected} (an object)`)
}

export function checkArray(value: unknown, path: string, expected: string): asserts value is unknown[] {
  if (!Array.isArray(value)) wrong(value, path, `an array of ${expected}`)
}

export function checkString(value: unknown, path: string, key: string): asserts value is string {
  if (typeof value !== 'string') wrong(value, at(path, key), 'a string')
}

export function checkBoolean(value: unknown, path: string, key: string): asserts value is boolean {
  if (typeof value !== 'boolean') wrong(value, at(path, key), 'true or false without quotes')
}

export function checkNumber(value: unknown, path: string, key: string): asserts value is number {
  if (typeof value !== 'number') wrong(value, at(path, key), 'a number without quotes')
}
