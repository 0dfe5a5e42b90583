import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonText } from '../../../test/support/random-json.ts'
import { accepted, refused } from '../../../test/cases/xapi/json.ts'
import { parseJson, parse } from './json.ts'
import { Problem } from '../../process/problem.ts'
import { cost } from '../../../test/support/cost.ts'

function problemOf(bytes: Uint8Array): Problem {
  try {
    parseJson(bytes, 'list')
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing thrown')
}

describe('refuses', () => {
  test.each(refused)('$name', ({ bytes, path, what }) => {
    const problem = problemOf(Buffer.from(bytes as string))
    expect(problem.path).toBe(path ?? '')
    expect(problem.what).toMatch(what)
  })

  test('a million brackets within 100 ms', () => {
    const bytes = Buffer.from('['.repeat(1_000_000))
    expect(cost(() => problemOf(bytes), 100)).toBeLessThan(100)
  })

  test('two million backslashes, quotes or keys in linear time', () => {
    const keys = `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":0`).join()},"k0":1}`
    const texts = [`"${'\\'.repeat(2_000_000)}`, `["${'\\"'.repeat(1_000_000)}`, keys, `${'{"a":['.repeat(32)}${keys}`]
    for (const text of texts) {
      const bytes = Buffer.from(text)
      expect(cost(() => problemOf(bytes), 1_000)).toBeLessThan(1_000)
    }
  })
})

describe('accepts', () => {
  test.each(accepted)('$name', ({ text }) => {
    expect(parseJson(Buffer.from(text))).toEqual({ text, value: JSON.parse(text) })
  })

  test('a view into a larger buffer', () => {
    const bytes = new Uint8Array(Buffer.from('xx{"a":"é"}xx'))
    expect(parseJson(bytes.subarray(2, -2)).value).toEqual({ a: 'é' })
  })

  test('whatever JSON.parse accepts without duplicate keys, and pollutes nothing', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const parsed = parseJson(Buffer.from(text))
        expect(parsed.text).toBe(text)
        expect(parsed.value).toEqual(parse(text))
      }),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('nothing else than JSON.parse', () => {
    fc.assert(
      fc.property(
        jsonText,
        fc.nat(),
        fc.constantFrom('', '"', '{', '}', '[', ',', ':', '\\', '0', ' '),
        (text, place, noise) => {
          const at = place % (text.length + 1)
          const changed = Buffer.from(text.slice(0, at) + noise + text.slice(at + 1))
          let expected: unknown
          try {
            expected = parse(changed.toString())
          } catch {
            expect(problemOf(changed).what).toMatch(/valid JSON/)
            return
          }
          try {
            expect(parseJson(changed).value).toEqual(expected)
          } catch (error) {
            expect((error as Problem).what).toBe('must be given only once')
          }
        },
      ),
    )
  })
})
