import { describe, expect, test } from 'vitest'
import { hasMoreThan } from './statements.ts'

const most = 3
/** Long enough to be looked at. */
const space = ' '.repeat(200)
const four = '{"a":1},{"a":1},{"a":1},{"a":1}'
const three = '{"a":1},{"a":1},{"a":1}'

describe('an array of at most 3', () => {
  test.each([
    ['three', `[${three}]`, false],
    ['four', `[${four}]`, true],
    ['none', '[]', false],
    ['one object', '{"a":[{},{},{},{}]}', false],
    ['white space before, between and after', `\n\r\t [ {} ,\n{}\t,{} , {} ] `, true],
    ['what is deeper', `[{"a":[{},{},{},{}],"b":{"c":[[],[],[{}]]}},{"a":{"b":{}}},{}]`, false],
    ['what is deeper, then a fourth', `[{"a":[{},{},{},{}]},{"a":{"b":{}}},{},{}]`, true],
    ['brackets in strings', `[{"a":"]},{},{},{},{}"},{"},{":"[[{{"},{"a":"}"}]`, false],
    ['brackets in strings, then a fourth', `[{"a":"["},{"{":"[[{{"},{"a":"}"},{"a":""}]`, true],
    ['escaped quotes', String.raw`[{"a":"\"},{},{},{},{\""},{"a":"\\"},{"\\\"":"\u0022},{},{},{}"}]`, false],
    ['escaped quotes, then a fourth', String.raw`[{"a":"\""},{"a":"\\"},{"\\\"":"\u0022"},{"a":"\\\\"}]`, true],
    ['more bytes to a character', '[{"é":"漢字😀"},{"ł":"［｛｝］"},{"\u{1f600}":"}"}]', false],
    ['more bytes to a character, then a fourth', '[{"é":"漢字😀"},{"ł":"［｛｝］"},{"😀":"}"},{}]', true],
    ['a byte order mark, which core refuses', `\ufeff[${four}]`, false],
    ['arrays, which core refuses', '[[],[],[],[]]', true],
    ['numbers, which core counts', '[1,2,3,4,5]', false],
    ['what follows its end', `[${three}],${four}`, false],
    ['what breaks off after the fourth', `[${four},{"a":`, true],
    ['what breaks off in a string', `[${three},{"a":"${four}`, false],
    ['what breaks off in an escape', `[${three},{"a":"\\`, false],
    ['only white space', '', false],
  ])('%s', (_, body, expected) => {
    expect(hasMoreThan(most, Buffer.from(`${space}${body}`))).toBe(expected)
  })

  test('what is too short to hold as many statements is not looked at', () => {
    expect(hasMoreThan(most, Buffer.from(`[${four}]`))).toBe(false)
    expect(hasMoreThan(250, Buffer.from(`[${'0,'.repeat(300)}0]`))).toBe(false)
  })
})

test('agrees with JSON.parse on whatever is nested at random', () => {
  let seed = 7
  const next = (below: number) => (seed = (seed * 48271) % 0x7fff_ffff) % below
  const texts = ['', '"', '\\', '[{', '}]', '\\"', '😀,', '\n']
  const value = (depth: number): unknown => {
    const kind = depth > 3 ? 0 : next(3)
    if (kind === 0) return texts[next(texts.length)]
    if (kind === 1) return Array.from({ length: next(4) }, () => value(depth + 1))
    return Object.fromEntries(
      Array.from({ length: next(4) }, () => [`${texts[next(texts.length)]}${next(9)}`, value(depth + 1)]),
    )
  }
  for (let round = 0; round < 2000; round++) {
    const list = Array.from({ length: next(7) }, () => ({ a: value(0) }))
    const body = Buffer.from(space + JSON.stringify(list, null, next(2)))
    expect(hasMoreThan(most, body), body.toString()).toBe(list.length > most)
  }
})
