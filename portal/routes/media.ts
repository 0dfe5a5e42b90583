import { Router } from 'express'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { sendObject } from '../../storage/send-object.ts'
import type { StoredObject } from '../../storage/storage.ts'
import { PageFailure } from '../failure.ts'
import type { Portal } from '../visit.ts'

/** Images of studios are shown, documents are saved; nothing in them ever runs on our origin. */
export const media = ({ storage }: Portal): Router =>
  Router().get('/media/files/:file{/:name}', async (request, response) => {
    const { file, name } = request.params
    const stored = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(file) ? await storage.open(`files/${file}`) : undefined
    if (!stored) throw new PageFailure(Reason.NOT_FOUND, 'This file is not here any more.')
    const type = await imageType(stored)
    if (type === undefined) response.attachment(name !== undefined && isDocument.test(name) ? name : file)
    await sendObject(request, response, stored, {
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  })

/** As core takes them. Whoever makes an address chooses the name in it: none that a computer would run when it is opened. */
const isDocument = /\.(?:pdf|docx|pptx|xlsx|odt|odp|ods|txt|md)$/i

const signatures: readonly (readonly [type: string, place: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavi'],
]

/** What a browser may show: core has checked the file, and its first bytes say what it is. */
async function imageType(stored: StoredObject): Promise<string | undefined> {
  const head: Buffer[] = []
  for await (const chunk of await stored.read({ start: 0, end: Math.min(15, stored.size - 1) })) head.push(chunk as Buffer)
  const text = Buffer.concat(head).toString('latin1')
  return signatures.find(([, place, bytes]) => text.startsWith(bytes, place))?.[0]
}
