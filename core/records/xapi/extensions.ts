import { at, checkObject, fail, quote, within } from './check.ts'
import { isIri } from './iri.ts'

/** A map of IRI to any JSON value, null included (xAPI Data 4.1). */
export function checkExtensions(value: unknown, path: string): void {
  checkObject(value, at(path, 'extensions'), 'a map of IRI to any value')
  for (const key in value) {
    if (!isIri(key)) {
      const what = `must be named by an absolute IRI such as "https://example.org/extensions/level", not ${quote(key)}`
      fail(within(at(path, 'extensions'), key), what)
    }
  }
}
