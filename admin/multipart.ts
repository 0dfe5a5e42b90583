import { Failed } from './failed.ts'

export interface Part {
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** To be read before the next part is asked for. */
  readonly body: AsyncIterable<Uint8Array>
}

const mostHeaderBytes = 16 * 1024
const lineEnd = Buffer.from('\r\n')

/** The boundary of a multipart/mixed; undefined when it is none. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = /^multipart\/mixed\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  return quoted ?? bare
}

/**
 * The parts of a multipart body as they come (RFC 2046 5.1). The last boundary may stand without a line end before it:
 * Learning Locker ends pages without contents so. By hand: Dicer of @fastify/busboy 3.2 takes such a boundary for
 * content, and one within a content, whose length is given, for its end. @throws Failed
 */
export async function* partsOf(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const mark = Buffer.from(`\r\n--${boundary}`)
  const last = Buffer.from(`--${boundary}--`)
  const chunks = source[Symbol.asyncIterator]()
  // the first boundary may stand at the very beginning
  let buffer = lineEnd
  const more = async (): Promise<boolean> => {
    const { done, value } = await chunks.next()
    if (!done) buffer = buffer.length === 0 ? Buffer.from(value) : Buffer.concat([buffer, value])
    return !done
  }
  const need = async (): Promise<void> => {
    if (!(await more())) throw endsBadly()
  }

  /** What comes before the next boundary; takes the boundary too. */
  async function* untilMark(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = buffer.indexOf(mark)
      // the last boundary with a line end before and after it
      const sure = at < 0 ? Math.max(0, buffer.length - mark.length - 4) : at
      if (sure > 0) yield buffer.subarray(0, sure)
      buffer = buffer.subarray(at < 0 ? sure : at + mark.length)
      if (at >= 0) return
      if (await more()) continue
      const end = buffer.lastIndexOf(last)
      if (end < 0 || buffer.toString('latin1', end + last.length).trim() !== '') throw endsBadly()
      if (end > 0) yield buffer.subarray(0, end)
      buffer = Buffer.from('--')
      return
    }
  }

  /** A content of that many bytes, even if they contain the boundary. Learning Locker adds one line end too many. */
  async function* counted(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      while (buffer.length === 0) await need()
      const piece = buffer.subarray(0, left)
      buffer = buffer.subarray(piece.length)
      left -= piece.length
      yield piece
    }
    for await (const rest of untilMark()) if (!rest.equals(lineEnd)) yield rest
  }

  for await (const _ of untilMark());
  for (let isFirst = true; ; isFirst = false) {
    while (buffer.length < 2) await need()
    if (buffer.toString('latin1', 0, 2) === '--') return
    while (!buffer.includes('\r\n\r\n')) {
      if (buffer.length > mostHeaderBytes)
        throw new Failed('The response of the other store is not valid multipart/mixed.')
      await need()
    }
    const end = buffer.indexOf('\r\n\r\n')
    const lines = buffer
      .toString('latin1', 0, end)
      .split('\r\n')
      .filter((line) => line.includes(':'))
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).trim().toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    // of the first part, Learning Locker counts characters, not bytes; its JSON holds no boundary
    const length = isFirst ? undefined : /^\d{1,15}$/.exec(headers.get('content-length') ?? '')?.[0]
    // the line feed before a boundary belongs to it, also where the body is empty
    buffer = buffer.subarray(length === undefined ? end + 2 : end + 4)
    const body = length === undefined ? skipping(untilMark(), 2) : counted(Number(length))
    yield { headers, body }
    for await (const _ of body);
  }
}

/** Cut off on the way, or written so: either may be tried again. */
function endsBadly(): Failed {
  const what = 'The response of the other store ends without the last boundary of its multipart/mixed'
  return new Failed(`${what}. Try --no-attachments: its pages are not multipart/mixed.`, 3)
}

async function* skipping(source: AsyncGenerator<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const rest = chunk.subarray(bytes)
    bytes = Math.max(0, bytes - chunk.length)
    if (rest.length > 0) yield rest
  }
}
