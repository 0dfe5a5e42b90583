import { parseJson } from './json.ts'
import { Problem } from '../../process/problem.ts'
import { members, splice, type Edit } from './spans.ts'
import { ours, say } from '../../../shared/say.ts'

/**
 * Merges the top-level members of the posted document into the stored one (xAPI Communication 2.2). It works on the
 * text, so numbers and strings stay as they came, and `__proto__` is a key like any other.
 * @throws Problem when either is not a JSON object
 */
export function mergeDocuments(stored: Uint8Array, posted: Uint8Array): Buffer {
  const under = objectText(stored, 'the stored document')
  const over = objectText(posted, 'the document')
  const news = new Map(members(over).map((member) => [member.key, member]))
  const olds = members(under)
  const edits: Edit[] = []
  for (const { key, valueStart, valueEnd } of olds) {
    const member = news.get(key)
    if (!member) continue
    edits.push({ start: valueStart, end: valueEnd, text: over.slice(member.valueStart, member.valueEnd) })
    news.delete(key)
  }
  const added = Array.from(news.values(), ({ keyStart, valueEnd }) => over.slice(keyStart, valueEnd))
  const end = olds.at(-1)?.valueEnd ?? under.indexOf('{') + 1
  if (added.length > 0) edits.push({ start: end, end, text: (olds.length > 0 ? ',' : '') + added.join(',') })
  return Buffer.from(splice(under, 0, under.length, edits))
}

/** Requires a document that can be merged. @throws Problem */
export function asObject(document: Uint8Array): void {
  const { value } = parseJson(document)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem('', 'must be a JSON object to be merged')
}

function objectText(bytes: Uint8Array, which: string): string {
  try {
    const { text, value } = parseJson(bytes)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.place, say`${error.said} (${ours(which)} cannot be merged)`)
  }
  throw new Problem('', say`must be a JSON object to be merged (${ours(which)} is not)`)
}
