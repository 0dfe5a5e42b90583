import { at, checkObject, fail, quote, within, wrong } from './check.ts'
import { isLanguageTag } from './language-tag.ts'

/** A map of language tag to text (xAPI Data 4.2). */
export function checkLanguageMap(value: unknown, path: string, key: string): void {
  checkObject(value, at(path, key), 'a language map such as {"en-GB": "played"}')
  for (const tag in value) {
    if (!isLanguageTag(tag)) fail(within(at(path, key), tag), notTag(tag))
    if (typeof value[tag] !== 'string') wrong(value[tag], within(at(path, key), tag), 'a string')
  }
}

export function notTag(tag: string): string {
  return `must be a language tag of RFC 5646 such as "en-GB", not ${quote(tag)}`
}
