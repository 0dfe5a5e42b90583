import {
  arrayOf,
  at,
  checkLanguageMap,
  checkString,
  fail,
  objectOf,
  wrong,
  type Check,
  type CheckObject,
  type Json,
} from './values.ts'
import { ours, say } from '../../../shared/say.ts'

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

const checkComponent = objectOf(
  'an interaction component',
  { id: checkString, description: checkLanguageMap },
  { needs: { id: 'an interaction component needs one' } },
)

const checkComponents: Check = (value, path, key, rules) => {
  const ids = new Set<unknown>()
  const checkNext: Check = (component, list, index) => {
    checkComponent(component, list, index, rules)
    const { id } = component as Json
    if (ids.has(id)) fail(at(at(list, index), 'id'), 'must differ from the other ids of the list')
    ids.add(id)
  }
  arrayOf(checkNext, 'interaction components')(value, path, key, rules)
}

const componentLists = ['choices', 'scale', 'source', 'target', 'steps']

/** The properties of interaction definitions only. */
export const interactionProperties: Readonly<Record<string, Check>> = {
  interactionType(value, path, key) {
    if (!lists.has(value)) wrong(value, at(path, key), `one of ${[...lists.keys()].join(', ')}`)
  },
  correctResponsesPattern: arrayOf(checkString, 'strings'),
  ...Object.fromEntries(componentLists.map((list) => [list, checkComponents])),
}
const names = Object.keys(interactionProperties)

/** Checks that interaction properties come with interactionType, and each component list with a type that allows it. */
export const checkInteraction: CheckObject = (definition, path) => {
  if (names.every((name) => definition[name] === undefined)) return
  const type = definition['interactionType']
  if (type === undefined) {
    fail(at(path, 'interactionType'), 'is missing: correctResponsesPattern and lists of components need it')
  }
  for (const list of componentLists) {
    if (definition[list] !== undefined && !lists.get(type)?.includes(list)) {
      const having: string = lists.get(type)?.join(' and ') || 'none'
      fail(at(path, list), say`is no list of an interaction of the type ${type as string}, which has ${ours(having)}`)
    }
  }
}
