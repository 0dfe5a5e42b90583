import { expect, test } from 'vitest'
import { wordsOf } from './words.ts'

test.each([
  ['Mia Müller', ['mia', 'muller']],
  ['ÄRGER ärger A\u0308rger', ['arger']],
  ['Große Weiß', ['grosse', 'weiss']],
  ['mia.schmidt+1@school.example', ['mia', 'schmidt', '1', 'school', 'example']],
  ['6f1d2c3b-0000-4000-8000-000000000000', ['6f1d2c3b', '0000', '4000', '8000', '000000000000']],
  ['Мария 李雷 😀', ['мария', '李雷']],
  ['<script>', ['script']],
  ['  ', []],
])('words of %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test('a long text has 20 words of 64 characters at most', () => {
  expect(wordsOf(Array.from({ length: 50 }, (_, n) => `w${n}`).join(' '))).toHaveLength(20)
  expect(wordsOf('x'.repeat(5_000))).toEqual(['x'.repeat(64)])
})
