import { contentEnds } from './content-end.ts'
import { invalid } from './failure.ts'
import { ours, said, say, type Words } from '../../shared/say.ts'

/** Header fields of a part by their names in lower case. */
export type PartHeaders = ReadonlyMap<string, string>

/** The start of a part, or the next bytes of the current part. After `hasHash`, a part may end without CRLF. */
export type Piece = { headers: PartHeaders; hasHash(sha2: string): void } | { bytes: Buffer }

const maxHeaderBytes = 8 * 1024
/** The statements, and one attachment for each of 250. */
const maxParts = 251
const blankLine = Buffer.from('\r\n\r\n')
const crlf = Buffer.from('\r\n')
/** White space around the value is trimmed later: no two groups can match the same bytes, so time is linear. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\r\n\0]*)$/

/** The boundary that the Content-Type of a multipart body names (RFC 2046 5.1.1). Throws an HttpRefusal. */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;[ \t]*boundary[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
  if (/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary
  throw invalid('Content-Type', 'needs a boundary of 1 to 70 characters, as in multipart/mixed; boundary=abc')
}

/**
 * The parts of a multipart body as its bytes arrive; only the headers of one part are kept in memory. Lines end in
 * CRLF. Bytes before the first and after the last boundary are skipped. Throws an HttpRefusal if the body is malformed.
 * Written by hand: Dicer of @fastify/busboy 3.2 is as fast, but ends no content without CRLF (content-end.ts).
 */
export async function* readMultipart(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Piece> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const ends = contentEnds(boundary)
  // the body may begin with the first boundary, which has no CRLF before it
  let rest: Buffer = crlf
  let state: 'before' | 'boundary' | 'headers' | 'content' | 'after' = 'before'
  let parts = 0

  for await (const chunk of body) {
    if (state === 'after') continue
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let going = true; going;) {
      going = false
      if (state === 'before' || state === 'content') {
        const whole = rest.indexOf(delimiter)
        const bare = state === 'content' ? ends.find(rest, whole < 0 ? rest.length : whole + crlf.length) : -1
        const at = bare < 0 ? whole : bare
        const end = at < 0 ? withoutStartOf(delimiter, rest) : at
        if (state === 'content' && end > 0) {
          ends.pass(rest.subarray(0, end))
          yield { bytes: rest.subarray(0, end) }
        }
        rest = rest.subarray(at < 0 ? end : at + delimiter.length - (bare < 0 ? 0 : crlf.length))
        if (at >= 0) [state, going] = ['boundary', true]
      } else if (state === 'boundary' && rest.length >= 2) {
        const padding = paddingOf(rest)
        if (rest.length - padding >= 2) {
          if (padding === 0 && rest.toString('latin1', 0, 2) === '--') state = 'after'
          else if (rest.toString('latin1', padding, padding + 2) === '\r\n')
            [state, going, rest] = ['headers', true, rest.subarray(padding)]
          else throw malformed('a boundary must be followed by CRLF, or by -- at the end')
        } else if (padding > maxHeaderBytes) throw malformed('a boundary must be followed by CRLF')
      } else if (state === 'headers') {
        const end = rest.indexOf(blankLine)
        const next = rest.indexOf(delimiter)
        if (next >= 0 && (end < 0 || next < end)) throw malformed('a part must have a blank line after its headers')
        if ((end < 0 ? rest.length : end) > maxHeaderBytes)
          throw malformed(ours(`the headers of a part must be at most ${maxHeaderBytes} bytes`))
        if (end >= 0) {
          if (++parts > maxParts) throw malformed(ours(`there must be at most ${maxParts - 1} parts after the first`))
          ends.begin()
          yield { headers: headersOf(rest.toString('latin1', 2, end)), hasHash: ends.begin }
          rest = rest.subarray(end + blankLine.length)
          ;[state, going] = ['content', true]
        }
      }
    }
  }
  if (state === 'before') throw malformed('the boundary that Content-Type names is not in the body')
  if (state !== 'after') throw malformed('the closing boundary, which is followed by --, is missing')
}

/** Number of bytes before a possible start of the delimiter, or of its dashes, at the end of `bytes`. */
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
    if (headers.has(name.toLowerCase())) throw malformed(say`the header ${name} occurs twice in a part`)
    headers.set(name.toLowerCase(), value!.trim())
  }
  return headers
}

const malformed = <T extends string>(what: Words<T>) =>
  invalid('body', say`must be well-formed multipart/mixed: ${said(what)}`)
