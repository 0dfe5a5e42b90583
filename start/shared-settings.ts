import { integer, type Env } from './settings.ts'

/** What `npm start` and core both read is one rule. */
export const bootstrapKey = {
  pattern: /^[\x21-\x39\x3b-\x7e]{1,200}$/,
  accepted: '1 to 200 printable ASCII characters without a colon or spaces',
}
export const bootstrapSecret = {
  pattern: /^[\x21-\x7e]{1,200}$/,
  accepted: '1 to 200 printable ASCII characters without spaces',
  secret: true,
}
export const signingKey = {
  pattern: /^[\w-]{43,}(,[\w-]{43,})*$/,
  accepted: '32 random bytes or more in base64url; several, separated by commas: the first one signs',
  secret: true,
}
export const storageKey = {
  pattern: /^[\w-]{43,}$/,
  accepted: '32 random bytes or more in base64url',
  secret: true,
}

/** Bytes of the disk that stay free; undefined: unset. */
export function diskReserve(env: Env): number | undefined {
  return env['LRS_DISK_RESERVE'] ? integer('LRS_DISK_RESERVE', env, { default: 0, min: 0, max: 1e15 - 1 }) : undefined
}
