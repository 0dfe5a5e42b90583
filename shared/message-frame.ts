/*
 * Builds messages of the relay by hand: the library would copy the bytes of a body or a page once more at each level of
 * a message, and that took most of the time of a call.
 */

/** An encoded entry of a message: the concatenation of its parts. */
export interface Entry {
  readonly size: number
  readonly parts: readonly Uint8Array[]
}

/** The part of a Buffer that grpc-js uses of a message: it copies the bytes once, behind a header of five bytes. */
export interface MessageFrame {
  readonly length: number
  readonly byteLength: number
  copy(target: Buffer, at: number): void
}

/** Tag of field 1, length-delimited: the only field of ExchangeRequest and of ExchangeResponse. */
const entryTag = 0x0a

/** A message whose field 1 has these entries. */
export function messageFrame(entries: readonly Entry[]): MessageFrame {
  let length = 0
  for (const { size } of entries) length += fieldSize(size)
  return {
    length,
    byteLength: length,
    copy(target, start) {
      let at = start
      for (const { size, parts } of entries) {
        at = startField(target, at, entryTag, size)
        for (const part of parts) {
          target.set(part, at)
          at += part.length
        }
      }
    },
  }
}

/** Bytes of a length-delimited field whose tag is one byte. */
export function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest > 0x7f; rest >>>= 7) size++
  return size
}

/** Writes tag and length of a field. Returns the position of its content. */
export function startField(into: Buffer, from: number, tag: number, length: number): number {
  let at = from
  into[at++] = tag
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) into[at++] = (rest & 0x7f) | 0x80
  into[at++] = rest
  return at
}
