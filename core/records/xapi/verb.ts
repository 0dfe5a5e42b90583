import { at, checkObject, fail, unknown } from './check.ts'
import { checkIri } from './iri.ts'
import { checkLanguageMap } from './language-map.ts'
import type { Verb } from './types.ts'

/** The verb of a statement that voids the one it refers to. */
export const voided = 'http://adlnet.gov/expapi/verbs/voided'

/** What was done: an IRI and its names (xAPI Data 2.4.3). */
export function checkVerb(value: unknown, path: string): asserts value is Verb {
  checkObject(value, path, 'a Verb')
  for (const key in value) {
    if (key === 'id') checkIri(value[key], path, key)
    else if (key === 'display') checkLanguageMap(value[key], path, key)
    else unknown(path, key, 'a Verb', 'id and display')
  }
  if (value['id'] === undefined) fail(at(path, 'id'), 'is missing: a Verb needs an IRI')
}
