import type { ServerResponse } from 'node:http'
import { pieceBytes, type Download } from '../load/download-budget.ts'

/** The same stream, once its first piece has arrived: until then a failure can still become a proper answer. */
export async function withFirstPiece(stream: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const source = stream[Symbol.asyncIterator]()
  let next = await source.next()
  return (async function* () {
    try {
      for (; !next.done; next = await source.next()) yield next.value
    } finally {
      await source.return?.()
    }
  })()
}

/** Reports each piece to the download budget. */
export async function* timed(stream: AsyncIterable<Uint8Array>, download: Download): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    download.pieceSent()
    yield chunk
    download.pieceTaken()
  }
}

/** Writes a long body as fast as the client takes it. Resolves at its end, or when the client has disconnected. */
export async function writePieces(
  response: ServerResponse,
  parts: readonly Uint8Array[],
  download: Download,
): Promise<void> {
  for (const part of parts) {
    for (let at = 0; at < part.length && !response.destroyed; at += pieceBytes) {
      const piece = part.subarray(at, at + pieceBytes)
      download.pieceSent()
      await new Promise<void>((resolve) => {
        const taken = (): void => {
          response.off('close', taken)
          resolve()
        }
        response.once('close', taken)
        response.write(piece, taken)
      })
      download.pieceTaken()
    }
  }
  download.done()
}
