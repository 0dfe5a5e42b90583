import { members } from './spans.ts'

/** One member of the result: its key as it came, and its values, oldest first. */
interface Folded {
  key: string
  values: string[]
}

/**
 * JSON of an Activity from all its definitions, oldest first. For each language of name and description the latest
 * value that is not null wins; for each extension and other property the latest value. Values stay as they came.
 */
export function foldActivity(iri: string, definitions: string[]): string {
  const definition = definitions.length > 0 ? `,"definition":${foldDefinition(definitions)}` : ''
  return `{"objectType":"Activity","id":${JSON.stringify(iri)}${definition}}`
}

/** The same for the definition alone; it can be folded with later definitions. */
export function foldDefinition(definitions: string[]): string {
  return join(gather(definitions), (name, values) => {
    if (name === 'name' || name === 'description') return join(gather(values), (_tag, texts) => latestText(texts))
    if (name === 'extensions') return join(gather(values), (_iri, jsons) => latest(jsons))
    return latest(values)
  })
}

/** The values of each key in all objects; keys in the order of their first occurrence. */
function gather(objects: string[]): Map<string, Folded> {
  const found = new Map<string, Folded>()
  for (const text of objects) {
    for (const { key, keyStart, valueStart, valueEnd } of members(text)) {
      const value = text.slice(valueStart, valueEnd)
      const folded = found.get(key)
      if (folded) folded.values.push(value)
      else found.set(key, { key: text.slice(keyStart, valueStart), values: [value] })
    }
  }
  return found
}

function join(found: Map<string, Folded>, fold: (name: string, values: string[]) => string): string {
  return `{${Array.from(found, ([name, { key, values }]) => key + fold(name, values)).join(',')}}`
}

function latestText(values: string[]): string {
  return values.findLast((json) => json !== 'null') ?? 'null'
}

function latest(values: string[]): string {
  return values.at(-1)!
}
