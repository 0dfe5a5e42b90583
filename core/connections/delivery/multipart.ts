import { randomUUID } from 'node:crypto'

/** The content of an attachment. */
export interface Part {
  /** Lower-case hexadecimal digits. */
  readonly sha2: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** Statements with contents of attachments, as multipart/mixed (xAPI Communication 1.5.2). */
export function multipart(statements: string, parts: readonly Part[]): { contentType: string; body: Uint8Array } {
  const boundary = `lrs-${randomUUID()}`
  const head = (headers: readonly string[]) => Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`)
  const pieces: Uint8Array[] = [head(['Content-Type: application/json']), Buffer.from(`${statements}\r\n`)]
  for (const { sha2, contentType, content } of parts)
    pieces.push(
      head([
        // a header ends at a line feed; core has checked the type when it came
        `Content-Type: ${contentType.replaceAll(/[^\x20-\x7e]/g, '')}`,
        'Content-Transfer-Encoding: binary',
        `X-Experience-API-Hash: ${sha2}`,
      ]),
      content,
      Buffer.from('\r\n'),
    )
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/mixed; boundary="${boundary}"`, body: Buffer.concat(pieces) }
}
