import { at, wrong } from './check.ts'

// Most IRIs: ASCII without percent signs and brackets. One pass suffices.
const plain = /^[A-Za-z][A-Za-z0-9+.-]*:[!$&-;=?-Z_a-z~]+(?:#[!$&-;=?-Z_a-z~]*)?$/
// All of RFC 3987 in linear time: the characters that each part allows.
const shape =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?=.)(?:\/\/[^/?#[\]]*(?:\[[0-9A-Za-z:.]+\](?::\d*)?)?(?=[/?#]|$))?[^?#[\]]*(?:\?[^#[\]]*)?(?:#[^#[\]]*)?$/
// oxlint-disable-next-line no-control-regex
const forbidden = /[\x00-\x20"<>\\^`{|}\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufff0-\uffff]|%(?![0-9A-Fa-f]{2})/
const mailto = /^mailto:[^@?#]+@[^@?#/:;,]+$/

/** An absolute IRI: a scheme, a colon and something after it, in characters that RFC 3987 allows. */
export function isIri(text: string): boolean {
  return plain.test(text) || (shape.test(text) && !forbidden.test(text) && text.isWellFormed())
}

/** `mailto:` and one address, without header fields. */
export function isMailto(text: string): boolean {
  return mailto.test(text) && !forbidden.test(text) && text.isWellFormed()
}

export function checkIri(value: unknown, path: string, key: string): asserts value is string {
  if (typeof value !== 'string' || !isIri(value)) {
    wrong(value, at(path, key), 'an absolute IRI such as "https://example.org/games/chess"')
  }
}
