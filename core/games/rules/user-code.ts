import { randomInt } from 'node:crypto'

/** Without vowels, so that no words come about (RFC 8628, 6.1). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
const shape = new RegExp(`^[${alphabet}]{${length}}$`)

/** A code that a learner types, for instance `BDFH-KMPR`: one of 2.5 * 10^10. */
export function newUserCode(): string {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return written(letters)
}

/** The code as the device shows it, however it was typed; undefined: it is none. */
export function userCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z\d]/g, '')
  return shape.test(letters) ? written(letters) : undefined
}

const written = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`
