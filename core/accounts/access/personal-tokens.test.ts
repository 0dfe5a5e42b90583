import { expect, test } from 'vitest'
import { isPersonalToken, newPersonalToken, personalTokenIn } from './personal-tokens.ts'

test('a personal token has a prefix, 256 random bits and a checksum', () => {
  const token = newPersonalToken()
  expect(token).toMatch(/^lrspt_[0-9A-Za-z]{49}$/)
  expect(newPersonalToken()).not.toBe(token)
  expect(isPersonalToken(token)).toBe(true)
  for (let at = 'lrspt_'.length; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    expect(isPersonalToken(token.slice(0, at) + other + token.slice(at + 1)), String(at)).toBe(false)
  }
  for (const wrong of [token.slice(0, -1), `${token}0`, token.replace('lrspt', 'lrsxx'), '', 'lrspt_'])
    expect(isPersonalToken(wrong), wrong).toBe(false)
})

test('a header has a personal token by its prefix', () => {
  expect(personalTokenIn('Bearer lrspt_abc')).toBe('lrspt_abc')
  expect(personalTokenIn('bearer lrspt_abc')).toBe('lrspt_abc')
  for (const header of ['', 'Bearer abc', 'Basic lrspt_abc', 'Bearer xlrspt_abc', 'lrspt_abc', 'Bearer  lrspt_abc'])
    expect(personalTokenIn(header), header).toBeUndefined()
})
