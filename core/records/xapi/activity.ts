import { at, checkObject, fail, unknown, wrong } from './check.ts'
import { checkExtensions } from './extensions.ts'
import { checkInteraction, checkInteractionProperty } from './interaction.ts'
import { checkIri } from './iri.ts'
import { checkLanguageMap } from './language-map.ts'
import type { Activity } from './types.ts'

/** Something to do, named by an IRI (xAPI Data 2.4.4.1); an object without objectType is one. */
export function checkActivity(value: unknown, path: string): asserts value is Activity {
  checkObject(value, path, 'an Activity')
  for (const key in value) {
    switch (key) {
      case 'objectType':
        if (value[key] !== 'Activity') wrong(value[key], at(path, key), '"Activity"')
        break
      case 'id':
        checkIri(value[key], path, key)
        break
      case 'definition':
        checkDefinition(value[key], at(path, key))
        break
      default:
        unknown(path, key, 'an Activity', 'objectType, id and definition')
    }
  }
  if (value['id'] === undefined) fail(at(path, 'id'), 'is missing: an Activity needs an IRI')
}

function checkDefinition(value: unknown, path: string): void {
  checkObject(value, path, 'an Activity definition')
  let interaction = false
  for (const key in value) {
    switch (key) {
      case 'name':
      case 'description':
        checkLanguageMap(value[key], path, key)
        break
      case 'type':
      case 'moreInfo':
        checkIri(value[key], path, key)
        break
      case 'extensions':
        checkExtensions(value[key], path)
        break
      default:
        checkInteractionProperty(value[key], path, key)
        interaction = true
    }
  }
  if (interaction) checkInteraction(value, path)
}
