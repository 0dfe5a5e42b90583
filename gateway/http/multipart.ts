import { contentEnds } from './content-end.ts'
import { invalid } from './failure.ts'

/** Header fields of a part by their names in lower case. */
export type PartHeaders = ReadonlyMap<string, string>

/** A part begins, or the next bytes of the one that began last. With its hash told, a part needs no CRLF at its end. */
export type Piece = { headers: PartHeaders; hasHash(sha2: string): void } | { bytes: Buffer }

const maxHeaderBytes = 8 * 1024
/** The statements, and a content for each of 250. */
const maxParts = 251
const blankLine = Buffer.from('\r\n\r\n')
const crlf = Buffer.from('\r\n')
/** White space around the value is cut off afterwards: no two parts of this can match the same, so time is linear. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\r\n\0]*)$/

/** The boundary that the Content-Type of a multipart body names (RFC 2046 5.1.1). Throws a Refusal. */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;[ \t]*boundary[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
  if (/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary
  throw invalid('Content-Type', 'needs a boundary of 1 to 70 characters, as in multipart/mixed; boundary=abc')
}

/**
 * The parts of a multipart body, as its bytes arrive: nothing is held but the headers of one part. Lines end in CRLF;
 * what stands before the first and after the last boundary is skipped. Throws a Refusal for whatever is malformed.
 */
export async function* readMultipart(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Piece> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const ends = contentEnds(boundary)
  // the first boundary may stand at the very beginning
  let rest: Buffer = crlf
  let place: 'before' | 'boundary' | 'headers' | 'content' | 'after' = 'before'
  let parts = 0

  for await (const chunk of body) {
    if (place === 'after') continue
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let going = true; going; ) {
      going = false
      if (place === 'before' || place === 'content') {
        const whole = rest.indexOf(delimiter)
        const bare = place === 'content' ? ends.find(rest, whole < 0 ? rest.length : whole + crlf.length) : -1
        const at = bare < 0 ? whole : bare
        const end = at < 0 ? withoutStartOf(delimiter, rest) : at
        if (place === 'content' && end > 0) {
          ends.pass(rest.subarray(0, end))
          yield { bytes: rest.subarray(0, end) }
        }
        rest = rest.subarray(at < 0 ? end : at + delimiter.length - (bare < 0 ? 0 : crlf.length))
        if (at >= 0) [place, going] = ['boundary', true]
      } else if (place === 'boundary' && rest.length >= 2) {
        const padding = paddingOf(rest)
        if (rest.length - padding >= 2) {
          if (padding === 0 && rest.toString('latin1', 0, 2) === '--') place = 'after'
          else if (rest.toString('latin1', padding, padding + 2) === '\r\n') [place, going, rest] = ['headers', true, rest.subarray(padding)]
          else throw malformed('a boundary must be followed by CRLF, or by -- at the end')
        } else if (padding > maxHeaderBytes) throw malformed('a boundary must be followed by CRLF')
      } else if (place === 'headers') {
        const end = rest.indexOf(blankLine)
        const next = rest.indexOf(delimiter)
        if (next >= 0 && (end < 0 || next < end)) throw malformed('a part must have a blank line after its headers')
        if ((end < 0 ? rest.length : end) > maxHeaderBytes) throw malformed(`the headers of a part must be at most ${maxHeaderBytes} bytes`)
        if (end >= 0) {
          if (++parts > maxParts) throw malformed(`there must be at most ${maxParts - 1} parts after the first`)
          ends.begin()
          yield { headers: headersOf(rest.toString('latin1', 2, end)), hasHash: ends.begin }
          rest = rest.subarray(end + blankLine.length)
          ;[place, going] = ['content', true]
        }
      }
    }
  }
  if (place === 'before') throw malformed('the boundary that Content-Type names does not occur')
  if (place !== 'after') throw malformed('the end is missing: the last boundary has -- after it')
}

/** How many bytes there are before what may be the start of the delimiter, or of its dashes, at the end of `bytes`. */
function withoutStartOf(delimiter: Buffer, bytes: Buffer): number {
  const from = Math.max(0, bytes.length - delimiter.length + 1)
  const at = bytes.subarray(from).findIndex((byte) => byte === 0x0d || byte === 0x2d)
  return at < 0 ? bytes.length : from + at
}

/** White space between a boundary and the end of its line. */
function paddingOf(bytes: Buffer): number {
  let at = 0
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
  return at
}

function headersOf(text: string): PartHeaders {
  const headers = new Map<string, string>()
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    if (line === '') continue
    const [, name, value] = field.exec(line) ?? []
    if (name === undefined) throw malformed('a header of a part must be a name, a colon and a value')
    if (headers.has(name.toLowerCase())) throw malformed(`the header ${name} stands twice in a part`)
    headers.set(name.toLowerCase(), value!.trim())
  }
  return headers
}

const malformed = (what: string) => invalid('body', `must be well-formed multipart/mixed: ${what}`)
