import { expect, test } from 'vitest'
import { newUserCode, userCode } from './user-code.ts'

test('a code may be typed in any way', () => {
  const code = newUserCode()
  expect(code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
  for (const typed of [code, code.toLowerCase(), ` ${code.replace('-', ' ')}`, code.replace('-', '')])
    expect(userCode(typed)).toBe(code)
  for (const typed of ['', 'BBBB', 'BBBB-BBBBB', 'AAAA-BBBB', 'BBBB-BBB1', 'ВВВВ-ВВВВ'])
    expect(userCode(typed)).toBe(undefined)
})
