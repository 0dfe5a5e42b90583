import { elements, endOfString, members, skipSpace, type Span } from './spans.ts'

/** Core replaces it by `parse` for its libraries (core/rpc/escaped-keys.ts). */
const native = JSON.parse

/**
 * JSON.parse for texts from outside. V8 (Node 24 to 26) may replace an escaped key by a key of an earlier text, from
 * any sender: https://github.com/nodejs/node/issues/63785. This function parses texts with escaped keys itself.
 * @throws SyntaxError
 */
export function parse(text: string): unknown {
  const value: unknown = native(text)
  return hasEscapedKey(text) ? valueOf(text, { start: skipSpace(text, 0), end: text.length }) : value
}

function hasEscapedKey(text: string): boolean {
  if (!text.includes('\\')) return false
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = endOfString(text, start) + 1
    if (text[skipSpace(text, end)] === ':' && text.slice(start, end).includes('\\')) return true
    start = text.indexOf('"', end)
  }
  return false
}

function valueOf(text: string, { start, end }: Span): unknown {
  if (text[start] === '[') return elements(text, start).map((element) => valueOf(text, element))
  if (text[start] !== '{') return native(text.slice(start, end))
  const entries = members(text, start).map(({ key, valueStart, valueEnd }) => {
    return [key, valueOf(text, { start: valueStart, end: valueEnd })] as const
  })
  // unlike an assignment, it makes `__proto__` an ordinary property
  return Object.fromEntries(entries)
}
