import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { sendObject } from '../../../storage/send-object.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import { addressesOf } from '../../web/addresses.ts'
import { PageFailure } from '../../web/failure.ts'
import { readSession } from '../../web/session-cookie.ts'
import type { Portal } from '../../web/visit.ts'

/** Serves images and documents after core has checked the visitor. Nothing in them runs on this origin. */
export const media = ({ config, core, storage }: Portal): Router =>
  Router().get('/media/:kind/:file{/:name}', async (request, response) => {
    const { kind, file, name } = request.params
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(file) || !kinds.includes(kind)) throw gone()
    const session = readSession(request, addressesOf(config, request).portal.startsWith('https:'))
    const located = await (session === '' ? core : core.as(session)).games.locateFile({ fileId: file })
    // who may see an image may see its small one; some images have none
    const small = kind === kinds[1] && (await storage.open(located.storageKey.replace(/^files/, kind)))
    const stored = small || (await storage.open(located.storageKey))
    if (!stored) throw gone()
    const type = await imageType(stored)
    if (type === undefined) response.attachment(name !== undefined && isDocument.test(name) ? name : file)
    await sendObject(request, response, stored, {
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      // files that are not public are checked each time, since permission may end
      'Cache-Control': located.public ? 'public, max-age=31536000, immutable' : 'private, no-cache',
      ...(located.public ? {} : { Vary: 'Cookie' }),
    })
  })

const kinds = ['files', 'thumbnails']

const gone = () => new PageFailure(Reason.NOT_FOUND, 'This file is not available.')

/** The extensions that core accepts. Addresses can hold any name, so another extension could name a program. */
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
  for await (const chunk of await stored.read({ start: 0, end: Math.min(15, stored.size - 1) }))
    head.push(chunk as Buffer)
  const text = Buffer.concat(head).toString('latin1')
  return signatures.find(([, place, bytes]) => text.startsWith(bytes, place))?.[0]
}
