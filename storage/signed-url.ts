import { createHmac, timingSafeEqual } from 'node:crypto'

/** The right to send one part. Its address contains all of these, and its signature covers them. */
export interface Permission {
  readonly key: string
  /** Id of the upload. */
  readonly id: string
  readonly number: number
  /** Bytes of the part. */
  readonly size: number
  /** Seconds since 1970. */
  readonly expires: number
}

const names = ['upload', 'part', 'size', 'expires', 'signature']

/** The path on the portal that takes this part. */
export function signUrl(secret: Uint8Array, permission: Permission): string {
  const { key, id, number, size, expires } = permission
  const signature = sign(secret, permission).toString('base64url')
  const query = new URLSearchParams({
    upload: id,
    part: `${number}`,
    size: `${size}`,
    expires: `${expires}`,
    signature,
  })
  return `/storage/${key.split('/').map(encodeURIComponent).join('/')}?${query}`
}

/** The permission that an address contains; undefined: it was not signed with this secret, or it was changed. */
export function readSignedUrl(secret: Uint8Array, target: string): Permission | undefined {
  const [path = '', search = '', ...more] = target.split('?')
  const query = new URLSearchParams(search)
  if (
    more.length > 0 ||
    target.length > 8_000 ||
    [...query.keys()].join() !== names.join() ||
    !path.startsWith('/storage/')
  )
    return undefined
  const [id, number, size, expires, signature] = [...query.values()] as [string, string, string, string, string]
  const key = decode(path.slice('/storage/'.length))
  if (key === undefined || ![number, size, expires].every((figure) => /^[1-9]\d{0,14}$/.test(figure))) return undefined
  const permission = { key, id, number: Number(number), size: Number(size), expires: Number(expires) }
  const given = Buffer.from(signature, 'base64url')
  const right = sign(secret, permission)
  return given.length === right.length && timingSafeEqual(given, right) ? permission : undefined
}

function sign(secret: Uint8Array, { key, id, number, size, expires }: Permission): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['PUT', key, id, number, size, expires]))
    .digest()
}

function decode(path: string): string | undefined {
  try {
    return path.split('/').map(decodeURIComponent).join('/')
  } catch {
    return undefined
  }
}
