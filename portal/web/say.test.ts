import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../texts')
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>
const english = read('en.json')
const languages = readdirSync(folder).map((file) => [file, read(file)] as const)

/** Names of the values and tags of a text. */
const namesIn = (parts: MessageFormatElement[]): string[] =>
  parts.flatMap((part) => {
    if (part.type === TYPE.literal || part.type === TYPE.pound) return []
    if (part.type === TYPE.tag) return [`<${part.value}>`, ...namesIn(part.children)]
    const within = 'options' in part ? Object.values(part.options).flatMap(({ value }) => namesIn(value)) : []
    return [part.value, ...within]
  })
const valuesOf = (text: string) => [...new Set(namesIn(parse(text)))].toSorted()

test.each(languages)('%s has each text, with the same values', (_, texts) => {
  expect(Object.keys(texts)).toEqual(Object.keys(english))
  for (const [name, text] of Object.entries(texts))
    expect([name, valuesOf(text)]).toEqual([name, valuesOf(english[name]!)])
})

/** Texts with terms of studios, for adults, and longer explanations. */
const long =
  /^(levels|download|beta|seen|school|platform|grade|why|roster|class|course|lesson|report|home|find|complaint|privacy|imprint|mail|account|member)\./

test.each(languages)('%s says what a child reads in sentences of at most 12 words', (_, texts) => {
  const sentences = Object.entries(texts)
    .filter(([name, text]) => !long.test(name) && !/, (?:plural|select),/.test(text))
    .flatMap(([name, text]) => text.split(/(?<=[.!?])\s/).map((sentence) => [name, sentence] as const))
  expect(sentences.filter(([, sentence]) => sentence.split(/\s+/).length > 12)).toEqual([])
})
