import { storable } from '../../process/rules/storable.ts'

/** The English text of a language map, else its first one. */
export function textIn(texts: unknown): string {
  if (typeof texts !== 'object' || texts === null) return ''
  const entries = Object.entries(texts)
  const [, text] = entries.find(([tag]) => /^en\b/i.test(tag)) ?? entries[0] ?? []
  return typeof text === 'string' ? storable(text, 200) : ''
}
