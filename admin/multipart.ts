import { Failed } from './failed.ts'

export interface Part {
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** To be read before the next part is asked for. */
  readonly body: AsyncIterable<Uint8Array>
}

const mostHeaderBytes = 16 * 1024

/** The boundary of a multipart/mixed; undefined when it is none. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = /^multipart\/mixed\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  return quoted ?? bare
}

/** The parts of a multipart body as they come (RFC 2046 5.1). @throws Failed */
export async function* partsOf(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const mark = Buffer.from(`\r\n--${boundary}`)
  const chunks = source[Symbol.asyncIterator]()
  // the first boundary may stand at the very beginning
  let buffer = Buffer.from('\r\n')
  const more = async (): Promise<void> => {
    const { done, value } = await chunks.next()
    if (done) throw new Failed('The answer of the other store was cut off.', 3)
    buffer = buffer.length === 0 ? Buffer.from(value) : Buffer.concat([buffer, value])
  }

  /** What comes before the next boundary; takes the boundary too. */
  async function* untilMark(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = buffer.indexOf(mark)
      const sure = at < 0 ? Math.max(0, buffer.length - mark.length + 1) : at
      if (sure > 0) yield buffer.subarray(0, sure)
      buffer = buffer.subarray(at < 0 ? sure : at + mark.length)
      if (at >= 0) return
      await more()
    }
  }

  for await (const _ of untilMark());
  for (;;) {
    while (buffer.length < 2) await more()
    if (buffer.toString('latin1', 0, 2) === '--') return
    while (!buffer.includes('\r\n\r\n')) {
      if (buffer.length > mostHeaderBytes) throw new Failed('The answer of the other store is no proper multipart/mixed.')
      await more()
    }
    const end = buffer.indexOf('\r\n\r\n')
    const lines = buffer.toString('latin1', 0, end).split('\r\n').filter((line) => line.includes(':'))
    const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    // the line feed before a boundary belongs to it, also where the body is empty
    buffer = buffer.subarray(end + 2)
    const body = skipping(untilMark(), 2)
    yield { headers, body }
    for await (const _ of body);
  }
}

async function* skipping(source: AsyncGenerator<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const rest = chunk.subarray(bytes)
    bytes = Math.max(0, bytes - chunk.length)
    if (rest.length > 0) yield rest
  }
}
