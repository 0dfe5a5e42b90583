import { sign, type KeyObject } from 'node:crypto'

/** A signature in compact serialisation (RFC 7515), with a certificate chain or without. */
export function signed(payload: unknown, key: KeyObject | string, x5c?: readonly string[]): Buffer {
  const text = [{ alg: 'RS256', x5c }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return Buffer.from(`${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`)
}
