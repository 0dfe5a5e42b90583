import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js'
import { addLanguage, type TextName } from '../../portal/web/say.ts'

/** The tag of a language that nobody speaks: each text is in brackets, longer than in English and with accents. */
export const madeUp = 'qps'
const accents: Readonly<Record<string, string>> = { a: 'à', e: 'é', i: 'î', o: 'ö', u: 'ü' }

/** Returns how to remove it: other files of the worker have the real languages only. */
export function addMadeUpLanguage(english: Readonly<Record<string, string>>): () => void {
  const made = (text: string) => `⟦${printAST(parse(text).map(strange))} ~~~~⟧`
  const texts = Object.entries(english).map(([name, text]) => [name, made(text)])
  return addLanguage(madeUp, Object.fromEntries(texts) as Record<TextName, string>, 'en')
}

function strange(part: MessageFormatElement): MessageFormatElement {
  if (part.type === TYPE.literal)
    return { ...part, value: part.value.replaceAll(/[a-z]/gi, (letter) => accents[letter] ?? letter) }
  if (part.type === TYPE.tag) return { ...part, children: part.children.map(strange) }
  if (part.type !== TYPE.plural && part.type !== TYPE.select) return part
  const options = Object.entries(part.options).map(([of, { value, ...more }]) => [
    of,
    { ...more, value: value.map(strange) },
  ])
  return { ...part, options: Object.fromEntries(options) }
}

/** The texts of a page, also those in attributes, that are neither in brackets nor among these words. */
export function untranslated(page: string, known: readonly string[]): string[] {
  const body = page.replace(/^[\s\S]*?<body/, '<body').replaceAll(/<(script|style|svg|time)\b[\s\S]*?<\/\1>/g, '')
  const attributes = [
    ...body.matchAll(
      / (?:aria-label|title|alt|placeholder|data-heading|data-some|data-last|data-over|data-saving)="([^"]*)"/g,
    ),
  ]
  const inside = body.replaceAll(/<[^>]*>/g, '\u0000')
  const texts = [...joined(inside).split('\u0000'), ...attributes.map(([, text]) => joined(text!))]
  return texts
    .map((text) => known.reduce((left, word) => left.replaceAll(word, ''), text).trim())
    .filter((text) => /\p{L}/u.test(text))
}

/** Without what is in brackets: tags may stand within. */
const joined = (text: string): string => {
  let left = text
  for (let before = ''; before !== left;) [before, left] = [left, left.replaceAll(/⟦[^⟦⟧]*⟧/g, '')]
  return left
}
