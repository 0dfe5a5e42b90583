import { endOfScalar, endOfString, skipSpace, stringOf } from './spans.ts'

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
