import type { Rules } from './dialect.ts'
import { isLanguageTag } from './language-tag.ts'
import { pathSaid, Problem } from '../../process/problem.ts'
import { isTimestamp } from './timestamp.ts'
import { wholeTimestamp } from '../../../shared/timestamp.ts'
import { ours, said, say, type Said, type Words } from '../../../shared/say.ts'

/** A JSON object as JSON.parse gives it: own keys only, `__proto__` among them if it came. */
export type Json = Record<string, unknown>

/**
 * Checks the value of the property or element `key` of what is at `path`; without a key, what is at `path` itself.
 * @param around the object that has the property
 * @throws Problem
 */
export type Check = (
  value: unknown,
  path: string,
  key: string | number | undefined,
  rules: Rules,
  around?: Json,
) => void

/** Checks the properties of an object that is at `path`. */
export type CheckObject = (value: Json, path: string, rules: Rules) => void

/** The path of a property with a plain name, or of an element: `statements[3].actor`. */
export function at(path: string, key: string | number | undefined): string {
  if (key === undefined) return path
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : path + '.' + key
}

/** The path of a property whose name came from outside: `display["en-GB"]`. */
export function within(path: string, key: string): string {
  return `${path}[${quote(key)}]`
}

/** A text from outside, escaped and shortened for a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)
}

export function fail<T extends string>(path: string | Said, what: Words<T>): never {
  throw new Problem(path, said(what))
}

/** Fails for a value of the wrong kind; `expected` is a noun phrase such as `a string`. */
export function wrong(value: unknown, path: string, expected: string): never {
  throw new Problem(path, say`must be ${ours(expected)}, not ${kind(value)}`)
}

function kind(value: unknown): string | Said {
  if (value === null) return ours('null')
  if (Array.isArray(value)) return ours('an array')
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object') return ours('an object')
  return String(value)
}

export function checkObject(value: unknown, path: string, expected: string): asserts value is Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(value, path, `${expected} (an object)`)
}

/** What else is to be said of an object with certain properties. */
interface More {
  /** Properties that have to be there, and why. */
  readonly needs?: Readonly<Record<string, string>>
  /** The properties as a message lists them. */
  readonly names?: string
  /** What it has to be, as a message says it. */
  readonly expected?: string
  /** Checks the object as a whole, after each property. */
  readonly whole?: CheckObject
}

/** The check of an object with these properties and no other one; names are case-sensitive. */
export function propertiesOf(type: string, properties: Readonly<Record<string, Check>>, more: More = {}): CheckObject {
  const checks = new Map(Object.entries(properties))
  const { needs = {}, names = listOf(Object.keys(properties)), whole } = more
  const needed = Object.keys(needs)
  return (value, path, rules) => {
    for (const key in value) {
      const check = checks.get(key)
      if (!check) {
        const text = /^[A-Za-z]\w*$/.test(key) && key.length <= 100 ? at(path, key) : within(path, key)
        const { form } = pathSaid(within(path, key))
        fail({ text, form }, ours(`is no property of ${type}, which has ${names} (case matters)`))
      }
      check(value[key], path, key, rules, value)
    }
    for (const key of needed) if (value[key] === undefined) fail(at(path, key), ours(`is missing: ${needs[key]}`))
    whole?.(value, path, rules)
  }
}

const listOf = (names: string[]) => names.join(', ').replace(/, (\w+)$/, ' and $1')

/** The same for a value that may be anything. */
export function objectOf(type: string, properties: Readonly<Record<string, Check>>, more: More = {}): Check {
  const check = propertiesOf(type, properties, more)
  const { expected = type } = more
  return (value, path, key, rules) => {
    const here = at(path, key)
    checkObject(value, here, expected)
    check(value, here, rules)
  }
}

export function arrayOf(check: Check, expected: string): Check {
  return (value, path, key, rules) => {
    const here = at(path, key)
    if (!Array.isArray(value)) wrong(value, here, `an array of ${expected}`)
    for (let i = 0; i < value.length; i++) check(value[i], here, i, rules)
  }
}

/** A value of which this is true. */
export function valueOf(is: (value: unknown) => boolean, expected: string): Check {
  return (value, path, key) => {
    if (!is(value)) wrong(value, at(path, key), expected)
  }
}

export function textOf(is: (text: string) => boolean, expected: string): Check {
  return (value, path, key) => {
    if (typeof value !== 'string' || !is(value)) wrong(value, at(path, key), expected)
  }
}

/** One certain text. */
export const only = (text: string): Check => valueOf((value) => value === text, `"${text}"`)

export const checkString = valueOf((value) => typeof value === 'string', 'a string')
export const checkBoolean = valueOf((value) => typeof value === 'boolean', 'true or false without quotes')
export const checkNumber = valueOf((value) => typeof value === 'number', 'a number without quotes')

// Most IRIs: ASCII without percent signs and brackets. One pass suffices.
const plain = /^[A-Za-z][A-Za-z0-9+.-]*:[!$&-;=?-Z_a-z~]+(?:#[!$&-;=?-Z_a-z~]*)?$/
// All of RFC 3987 in linear time: the characters that each part allows.
const shape =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?=.)(?:\/\/[^/?#[\]]*(?:\[[0-9A-Za-z:.]+\](?::\d*)?)?(?=[/?#]|$))?[^?#[\]]*(?:\?[^#[\]]*)?(?:#[^#[\]]*)?$/
// oxlint-disable-next-line no-control-regex
const forbidden = /[\x00-\x20"<>\\^`{|}\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufff0-\uffff]|%(?![0-9A-Fa-f]{2})/
const mailto = /^mailto:[^@?#]+@[^@?#/:;,]+$/

/** An absolute IRI: a scheme, a colon and something after it, in characters that RFC 3987 allows. */
export function isIri(text: string): boolean {
  return plain.test(text) || (shape.test(text) && !forbidden.test(text) && text.isWellFormed())
}

/** `mailto:` and one address, without header fields. */
export function isMailto(text: string): boolean {
  return mailto.test(text) && !forbidden.test(text) && text.isWellFormed()
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A UUID in the standard form of RFC 4122, in either case; version and variant are not looked at. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

export const checkIri = textOf(isIri, 'an absolute IRI such as "https://example.org/games/chess"')
export const checkUuid = textOf(isUuid, 'a UUID such as "6f1c2b9e-0d34-4c7a-9a51-3be0c47f1d22"')
export const checkTimestamp: Check = (value, path, key, { shortTimestamps }) => {
  if (typeof value === 'string' && isTimestamp(shortTimestamps ? wholeTimestamp(value) : value)) return
  const example = '"2026-11-21T14:05:09.123Z" (an offset of "-00:00" is refused)'
  wrong(value, at(path, key), `a timestamp of RFC 3339 such as ${example}`)
}

export const checkLanguageTag: Check = (value, path, key, rules) => {
  checkString(value, path, key, rules)
  if (!isLanguageTag(value as string)) fail(at(path, key), notTag(value as string))
}

const notTag = (tag: string) => say`must be a language tag of RFC 5646 such as "en-GB", not ${quote(tag)}`

/** A map of language tag to text (xAPI Data 4.2). */
export const checkLanguageMap: Check = (value, path, key) => {
  const here = at(path, key)
  checkObject(value, here, 'a language map such as {"en-GB": "played"}')
  for (const tag in value) {
    if (!isLanguageTag(tag)) fail(within(here, tag), notTag(tag))
    if (typeof value[tag] !== 'string') wrong(value[tag], within(here, tag), 'a string')
  }
}

/** A map of IRI to any JSON value, null included (xAPI Data 4.1). */
export const checkExtensions: Check = (value, path, key) => {
  const here = at(path, key)
  checkObject(value, here, 'a map of IRI to any value')
  for (const iri in value) {
    if (isIri(iri)) continue
    const what = say`must be named by an absolute IRI such as "https://example.org/extensions/level", not ${quote(iri)}`
    fail(within(here, iri), what)
  }
}
