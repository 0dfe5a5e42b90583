import { at, checkArray, checkObject, checkString, fail, unknown, within, wrong } from './check.ts'
import type { Json } from './check.ts'
import { checkLanguageMap } from './language-map.ts'

/** The interaction types and the component lists of each (xAPI Data 2.4.4.1). */
const lists: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['true-false', []],
  ['choice', ['choices']],
  ['fill-in', []],
  ['long-fill-in', []],
  ['matching', ['source', 'target']],
  ['performance', ['steps']],
  ['sequencing', ['choices']],
  ['likert', ['scale']],
  ['numeric', []],
  ['other', []],
])

const properties = 'name, description, type, moreInfo, extensions and those of interactions'

/** A property of interaction definitions only. */
export function checkInteractionProperty(value: unknown, path: string, key: string): void {
  switch (key) {
    case 'interactionType':
      if (!lists.has(value)) wrong(value, at(path, key), `one of ${[...lists.keys()].join(', ')}`)
      break
    case 'correctResponsesPattern':
      checkArray(value, at(path, key), 'strings')
      for (let i = 0; i < value.length; i++) {
        if (typeof value[i] !== 'string') wrong(value[i], within(at(path, key), i), 'a string')
      }
      break
    case 'choices':
    case 'scale':
    case 'source':
    case 'target':
    case 'steps':
      checkComponents(value, at(path, key))
      break
    default:
      unknown(path, key, 'an Activity definition', properties)
  }
}

/** Checks that interaction properties come with interactionType, and each component list with a type that allows it. */
export function checkInteraction(definition: Json, path: string): void {
  const type = definition['interactionType']
  if (type === undefined) {
    fail(at(path, 'interactionType'), 'is missing: correctResponsesPattern and lists of components need it')
  }
  for (const list of ['choices', 'scale', 'source', 'target', 'steps']) {
    if (definition[list] !== undefined && !lists.get(type)?.includes(list)) {
      const having = lists.get(type)?.join(' and ') || 'none'
      fail(at(path, list), `is no list of an interaction of the type ${type}, which has ${having}`)
    }
  }
}

function checkComponents(value: unknown, path: string): void {
  checkArray(value, path, 'interaction components')
  const ids = new Set<unknown>()
  for (let i = 0; i < value.length; i++) {
    const component = value[i]
    checkComponent(component, within(path, i))
    if (ids.has(component['id'])) fail(at(within(path, i), 'id'), 'must differ from the other ids of the list')
    ids.add(component['id'])
  }
}

function checkComponent(value: unknown, path: string): asserts value is Json {
  checkObject(value, path, 'an interaction component')
  for (const key in value) {
    if (key === 'id') checkString(value[key], path, key)
    else if (key === 'description') checkLanguageMap(value[key], path, key)
    else unknown(path, key, 'an interaction component', 'id and description')
  }
  if (value['id'] === undefined) fail(at(path, 'id'), 'is missing: an interaction component needs one')
}
