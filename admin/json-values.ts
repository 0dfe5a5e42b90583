import { Failed } from './failed.ts'

const [quote, backslash, comma, open, close, openList, closeList] = Buffer.from('"\\,{}[]')

/**
 * The objects in a text of any length, each byte for byte: one after the other (NDJSON), or as the elements of one array.
 * By hand: @streamparser/json 0.0.26 takes twice as long, and cannot go on after a damaged record, as --rejects does.
 * @param maxBytes of one object
 * @throws Failed
 */
export async function* valuesIn(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let count = 0
  let isList: boolean | undefined
  let ended = false
  let depth = 0
  let inString = false
  let escaped = false
  /** Of the object that has begun in earlier chunks. */
  let before: Uint8Array[] = []
  let size = 0
  let isFirst = true

  for await (let chunk of source) {
    if (isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) chunk = chunk.subarray(3)
    isFirst = false
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) inString = false
      } else if (depth > 0) {
        if (byte === quote) inString = true
        else if (byte === open || byte === openList) depth++
        else if ((byte === close || byte === closeList) && --depth === 0) {
          const last = chunk.subarray(start, at + 1)
          yield before.length > 0 ? Buffer.concat([...before, last]) : last
          before = []
          size = 0
          count++
        }
      } else if (byte === open && !ended) {
        isList ??= false
        depth = 1
        start = at
      } else if (byte === openList && isList === undefined) isList = true
      else if (byte === closeList && isList && !ended) ended = true
      else if (byte > 0x20 && !(byte === comma && isList && !ended)) {
        throw new Failed(
          `${count === 0 ? 'The input does not begin with a JSON object' : `After record ${count} there is no JSON object`}. The file must have one statement in each line, or one array of statements.`,
        )
      }
    }
    if (depth === 0) continue
    before.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > maxBytes) throw new Failed(`Record ${count + 1} is larger than ${maxBytes} bytes, or has no end.`)
  }
  if (depth > 0 || (isList && !ended))
    throw new Failed(`The input is cut off in ${depth > 0 ? `record ${count + 1}` : 'its array'}.`)
}
