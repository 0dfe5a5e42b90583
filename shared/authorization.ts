/** What an Authorization header names. */
export type Named =
  | { readonly scheme: 'Basic'; readonly key: string; readonly secret: string; readonly header: string }
  | { readonly scheme: 'Bearer'; readonly token: string; readonly header: string }

const accepted = '"Basic <base64 of key:secret>" or "Bearer <launch token>"'
const fault = (what: string) => ({ fault: `Authorization: ${what}` })

/**
 * Reads an Authorization header. A credential has one spelling, so one caller never counts as several: the scheme in
 * any case (RFC 9110), one space, then the base64 of key:secret as an encoder writes it, or the token as core made it.
 * `header` is that spelling. Core compares a token's signature byte for byte.
 */
export function readAuthorization(given = ''): Named | { readonly fault: string } {
  if (given === '') return fault(`this header is missing; send ${accepted}`)
  const [, word, spaces, value = ''] = /^(basic|bearer)( *)(.*)$/is.exec(given) ?? []
  if (word === undefined || spaces === '') return fault(`must be ${accepted}`)
  const scheme = word.toLowerCase() === 'basic' ? 'Basic' : 'Bearer'
  if (spaces !== ' ') return fault(`write one space after ${scheme}, not ${spaces!.length}`)
  const header = `${scheme} ${value}`
  if (scheme === 'Bearer') {
    if (/^[\w.~+/-]+=*$/.test(value)) return { scheme, token: value, header }
    return fault('the token has a character that tokens never have')
  }
  const text = Buffer.from(value, 'base64').toString()
  // this also finds bytes that are not UTF-8, which would be read as one and the same character
  if (value === '' || Buffer.from(text).toString('base64') !== value)
    return fault('Basic must be followed by base64 of key:secret in UTF-8, with its padding and nothing after it')
  const colon = text.indexOf(':')
  if (colon < 0) return fault('Basic has no colon between key and secret')
  return { scheme, key: text.slice(0, colon), secret: text.slice(colon + 1), header }
}
