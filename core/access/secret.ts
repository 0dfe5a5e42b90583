import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret of 256 bits, to be shown once. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** What is kept of a secret: 256 bits cannot be guessed, so a plain SHA-256 is enough and nearly free. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Whether the secret is the one of the hash, in constant time. */
export const isSecret = (secret: string, secretHash: Buffer): boolean => timingSafeEqual(hashSecret(secret), secretHash)
