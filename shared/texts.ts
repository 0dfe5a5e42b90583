import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
// oxlint-disable-next-line no-restricted-imports -- its texts are data, also for core: no code of the portal comes with it
import english from '../portal/texts/en.json' with { type: 'json' }

/** The name of a text in portal/texts. */
export type TextName = keyof typeof english
/** The texts of one language, in ICU MessageFormat. */
export type Texts = (name: TextName) => IntlMessageFormat

const folder = join(import.meta.dirname, '../portal/texts')
const read = (language: string) => JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as typeof english
const languages = new Map<string, Texts>()

/** Adds a language; returns how to remove it. A text that is missing is English. */
export function addTexts(language: string, texts: Partial<Record<TextName, string>>, locale = language): () => void {
  const formats = new Map<TextName, IntlMessageFormat>()
  languages.set(language, (name) => {
    const known = formats.get(name) ?? new IntlMessageFormat(texts[name] ?? english[name], locale)
    formats.set(name, known)
    return known
  })
  return () => void languages.delete(language)
}

const files = readdirSync(folder).map((file) => file.replace('.json', ''))
// English first: a browser that names no language gets it
for (const language of new Set(['en', ...files])) addTexts(language, read(language))

export const isText = (name: string): name is TextName => Object.hasOwn(english, name)
/** Empty: there is no such language. */
export const knownLanguage = (language: string): string => (languages.has(language) ? language : '')
export const allTexts = (): readonly string[] => [...languages.keys()]
/** English, if there is no such language. */
export const textsIn = (language: string): Texts => languages.get(language) ?? languages.get('en')!
