import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Role } from '../../shared/settings/own-kinds.ts'
import type { Config } from './config/config.ts'

/** A secret of 256 bits, to be shown once. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The stored form of a secret. Nobody can guess 256 bits, so a plain SHA-256 is enough, and fast. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares a secret with a hash in constant time. */
export const isSecret = (secret: string, secretHash: Buffer): boolean => timingSafeEqual(hashSecret(secret), secretHash)

/** Services that may call core, by the hash of their token, so the time of a lookup reveals nothing about a token. */
export function serviceAccounts(tokens: Config['serviceTokens']) {
  const digest = (token: string) => hash('sha256', token, 'hex')
  const accounts = new Map(tokens.map(({ role, token }) => [digest(token), role]))
  return {
    /** The role of the service with this Authorization header; undefined: no service token. */
    roleOf: (authorization: string): Role | undefined => {
      const token = /^bearer ([^ ]+)$/i.exec(authorization)?.[1]
      return token === undefined ? undefined : accounts.get(digest(token))
    },
  }
}

export type ServiceAccounts = ReturnType<typeof serviceAccounts>
