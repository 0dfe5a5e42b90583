import { raw, type RequestHandler } from 'express'
import { addressesOf } from './addresses.ts'
import { readSession } from './session-cookie.ts'
import { guestOf, isSecure, type Portal } from './visit.ts'

/** Reads a form with a file, but not of strangers: from them nothing large is read. @param limit bytes of the file */
export const fileForm = (portal: Portal, limit: number): RequestHandler[] => [
  async (request, _response, next) => {
    const session = readSession(request, isSecure(addressesOf(portal.config, request)))
    const known =
      session !== '' &&
      (await guestOf(portal, request)
        .core.as(session)
        .accounts.getAccount({})
        .catch(() => false))
    next(known ? undefined : 'route')
  },
  raw({ type: 'multipart/form-data', limit: limit + 16 * 1024 }),
  async (request, _response, next) => {
    const { body, headers } = request as { body: unknown; headers: typeof request.headers }
    const type = headers['content-type'] ?? ''
    if (Buffer.isBuffer(body)) {
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => [])
      request.body = Object.fromEntries(form)
    }
    next()
  },
]

/** The file of such a form; empty: there is none. */
export async function fileIn(body: unknown, name: string): Promise<Uint8Array> {
  const file = new Map(Object.entries((body ?? {}) as Record<string, unknown>)).get(name)
  return file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array()
}
