import { parse } from '../xapi/parse.ts'
import { endOfString } from '../xapi/spans.ts'

/** Levels of a message: decoders of Protobuf take 100, and a level of JSON takes three. Each level costs a scan. */
const mostLevels = 40
const native = JSON.parse

/**
 * Connect's library reads JSON messages with JSON.parse, which may take an escaped key for another one, from another
 * sender (core/xapi/parse.ts). After this call JSON.parse of this process reads such keys correctly.
 */
export function mendJsonParse(): void {
  JSON.parse = (text: string, reviver?: Parameters<typeof native>[1]): unknown => {
    const value: unknown = native(text, reviver)
    if (reviver !== undefined || typeof text !== 'string' || !text.includes('\\')) return value
    return isShallow(text) ? parse(text) : value
  }
}

/** @param text valid JSON */
function isShallow(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') at = endOfString(text, at)
    else if (letter === '{' || letter === '[') {
      if (++depth > mostLevels) return false
    } else if (letter === '}' || letter === ']') depth--
  }
  return true
}
