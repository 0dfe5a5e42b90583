import { expect, test } from 'vitest'
import { conditioned } from './answer.ts'
import { secondsOf } from './time.ts'
import { cost } from '../../test/support/cost.ts'

const outcome = (etag: string | undefined, headers: Record<string, string>): number => {
  try {
    return conditioned({ status: 200, body: 'x', etag }, headers).status
  } catch (error) {
    return (error as { status: number }).status
  }
}

/** The tag, the header without `If-`, its value, the status. */
test.each<[string | undefined, 'match' | 'none-match', string, number]>([
  ['"a"', 'none-match', '"a"', 304],
  ['"a"', 'none-match', 'W/"a"', 304],
  ['"a"', 'none-match', 'a', 304],
  ['"a"', 'none-match', '"b" , "a"', 304],
  ['"a"', 'none-match', '"a-gzip"', 304],
  ['"a"', 'none-match', ' * ', 304],
  ['"a"', 'none-match', '"A"', 200],
  ['"a"', 'none-match', '"a-zip"', 200],
  ['"a"', 'none-match', '"b,a", "b, a"', 200],
  ['"a"', 'none-match', '', 200],
  ['"a"', 'none-match', '"', 200],
  ['W/"a"', 'none-match', '"a"', 304],
  ['W/"a"', 'match', '"a"', 412],
  ['W/"a"', 'match', '*', 200],
  ['"a"', 'match', '"a"', 200],
  ['"a"', 'match', '"a-br"', 200],
  ['"a"', 'match', 'W/"a"', 412],
  ['"a"', 'match', 'W/"a", "a"', 200],
  ['"a"', 'match', '"b"', 412],
  ['"a"', 'match', '', 412],
  [undefined, 'match', '"b"', 200],
  [undefined, 'none-match', '*', 200],
])('the body %s under If-%s: %s is %d', (etag, name, value, status) => {
  expect(outcome(etag, { [`if-${name}`]: value })).toBe(status)
})

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777],
  ['Sun Nov  6 08:49:37 1994', 784_111_777],
  ['Sun, 6 Nov 1994 08:49:37.500 (x 00:00:00 GMT', 0],
  ['1994-11-06T08:49:37Z', 0],
])('%s is second %d', (header, seconds) => {
  expect(secondsOf(header)).toBe(seconds)
})

test('a header as long as headers may be is read in no time', () => {
  const read = () => {
    for (const value of ['"a'.repeat(10_000), 'W/'.repeat(10_000), ' ,'.repeat(10_000)])
      outcome('"x"', { 'if-none-match': value })
  }
  expect(cost(read, 500)).toBeLessThan(500)
})
