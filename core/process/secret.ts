import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret of 256 bits, to be shown once. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The stored form of a secret. Nobody can guess 256 bits, so a plain SHA-256 is enough, and fast. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares a secret with a hash in constant time. */
export const isSecret = (secret: string, secretHash: Buffer): boolean => timingSafeEqual(hashSecret(secret), secretHash)
