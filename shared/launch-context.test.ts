import { expect, test } from 'vitest'
import { powerShellLines, shellLines } from './launch-context.ts'

/** A test learner may be called like this, and a reviewer pastes the lines. */
const quotes = `O'Brien, O\u2018B, O\u2019B, O\u201aB, O\u201bB'; calc; '`

test('in a shell a text ends at no quote of its own', () => {
  expect(shellLines({ A: quotes })).toBe(String.raw`export A='O'\''Brien, O‘B, O’B, O‚B, O‛B'\''; calc; '\'''`)
})

test('nor in PowerShell, for which typographic quotes are quotes', () => {
  const [, text = ''] = /^\$env:A = '(.*)'$/.exec(powerShellLines({ A: quotes })) ?? []
  // as its tokenizer reads: two quotes of any kind are the first of them, one ends the text
  expect(text.replaceAll(/(['\u2018-\u201b])['\u2018-\u201b]/g, '')).not.toMatch(/['\u2018-\u201b]/)
  expect(text.replaceAll(/(['\u2018-\u201b])['\u2018-\u201b]/g, '$1')).toBe(quotes)
})
