import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Storage } from '../../storage/storage.ts'
import type { UploadKind, Upload } from '../../gen/lrs/v1/uploads_pb.js'
import type { CoreClient } from './core-client.ts'

/** Sends parts to storage as a browser does; for local storage it is the portal's route. */
export async function openUploads(storage: Storage) {
  const server = createServer((request, response) => void storage.receive!(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function send({ missing, partSize }: Upload, bytes: Buffer): Promise<void> {
    for (const { number, url } of missing) {
      const start = (number - 1) * Number(partSize)
      const { status } = await fetch(new URL(url, base), {
        method: 'PUT',
        body: new Uint8Array(bytes.subarray(start, start + Number(partSize))),
      })
      if (status >= 300) throw new Error(`part ${number}: ${status}`)
    }
  }

  return {
    send,
    /** Requests and sends; the upload is then to be finalized. */
    async upload(
      { uploads }: CoreClient,
      kind: UploadKind,
      fileName: string,
      bytes: Buffer,
      gameId = '',
    ): Promise<string> {
      const { upload } = await uploads.requestUpload({ gameId, kind, fileName, size: BigInt(bytes.length) })
      await send(upload!, bytes)
      return upload!.uploadId
    },
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

export type Uploads = Awaited<ReturnType<typeof openUploads>>
