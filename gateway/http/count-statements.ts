const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The shortest statement: actor, verb and object, each with its identifier. */
const minBytes = 50

/**
 * Whether a body is an array of more than `max` objects: then it need not be sent to core to be refused. False for
 * valid JSON with fewer. For invalid JSON it may return either, because core refuses that, too. Stops as soon as it is
 * sure.
 */
export function hasMoreThan(max: number, body: Uint8Array): boolean {
  const { length } = body
  if (length < max * minBytes) return false
  let at = 0
  while (isSpace(body[at]!)) at++
  if (body[at++] !== OPEN_ARRAY) return false
  let depth = 1
  let count = 0
  while (at < length) {
    const byte = body[at++]!
    if (byte === QUOTE) {
      let inside
      while ((inside = body[at++]) !== QUOTE && at < length) if (inside === BACKSLASH) at++
    } else if (byte < OPEN_ARRAY) continue
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (--depth === 1 && ++count > max) return true
      if (depth === 0) return false
    }
  }
  return false
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
