import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { bestOfThree, processorTime } from '../../test/support/cost.ts'
import { boundaryOf, readMultipart } from './multipart.ts'

interface Part {
  headers: Record<string, string>
  content: string
}

async function read(body: string, boundary: string, step: number): Promise<Part[]> {
  const bytes = Buffer.from(body, 'latin1')
  async function* arriving() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const parts: Part[] = []
  for await (const piece of readMultipart(arriving(), boundary)) {
    if ('headers' in piece) {
      parts.push({ headers: Object.fromEntries(piece.headers), content: '' })
      piece.hasHash(piece.headers.get('hash') ?? '')
    } else parts.at(-1)!.content += piece.bytes.toString('latin1')
  }
  return parts
}

const one = (content: string, headers = {}) => ({ headers, content })
const sha2 = (content: string) => hash('sha256', Buffer.from(content, 'latin1'), 'hex')
const hashed = (content: string) => one(content, { hash: sha2(content) })
/** A content as some clients send it: the next boundary follows at once. */
const bare = (content: string) => `--b\r\nhash: ${sha2(content)}\r\n\r\n${content}`

describe.each([1, 2, 3, 7, 64, 1_000_000])('in steps of %i bytes', (step) => {
  test.each<[string, string, Part[]]>([
    [
      'two parts',
      '--b\r\nA: 1\r\n\r\nfirst\r\n--b\r\nA:2\r\nB-c:\tx y \r\n\r\nsecond\r\n--b--\r\n',
      [one('first', { a: '1' }), one('second', { a: '2', 'b-c': 'x y' })],
    ],
    ['nothing after the end', '--b\r\n\r\nx\r\n--b--', [one('x')]],
    ['a leading CRLF', '\r\n--b\r\n\r\nx\r\n--b--', [one('x')]],
    ['a preamble and an epilogue', 'hello --b\r\nyou\r\n--b\r\n\r\nx\r\n--b--\r\nand\r\n--b\r\n\r\nmore', [one('x')]],
    ['an empty part', '--b\r\nA: 1\r\n\r\n\r\n--b--', [one('', { a: '1' })]],
    ['white space after boundaries', '--b \t\r\n\r\nx\r\n--b\t\r\n\r\ny\r\n--b--', [one('x'), one('y')]],
    ['a folded header', '--b\r\nA: 1\r\n  2\r\n\r\nx\r\n--b--', [one('x', { a: '1 2' })]],
    [
      'what looks like a boundary',
      '--b\r\n\r\n\r\n--\r\n-b\r--b\n--b\r\n\r\n\r\n--b--',
      [one('\r\n--\r\n-b\r--b\n--b\r\n\r\n')],
    ],
    [
      'all bytes',
      `--b\r\n\r\n${String.fromCharCode(...Array(256).keys())}\r\n--b--`,
      [one(String.fromCharCode(...Array(256).keys()))],
    ],
  ])('%s', async (_what, body, parts) => {
    expect(await read(body, 'b', step)).toEqual(parts)
  })

  test.each<[string, string, Part[]]>([
    ['two contents', `${bare('first')}${bare('second')}\r\n--b--`, [hashed('first'), hashed('second')]],
    ['nothing before the end either', `${bare('first')}${bare('second')}--b--`, [hashed('first'), hashed('second')]],
    [
      'contents that end in CRLF',
      `${bare('first\r\n')}${bare('\r\n')}${bare('--')}--b--`,
      [hashed('first\r\n'), hashed('\r\n'), hashed('--')],
    ],
    ['empty contents', `${bare('')}${bare('')}--b--`, [hashed(''), hashed('')]],
    [
      'contents with marks in them',
      `${bare('--b')}${bare('x--b\r\ny--b--')}${bare('-')}\r\n--b--`,
      [hashed('--b'), hashed('x--b\r\ny--b--'), hashed('-')],
    ],
    [
      'one of each kind',
      `${bare('first')}${bare('second')}\r\n${bare('third')}\r\n--b--`,
      [hashed('first'), hashed('second'), hashed('third')],
    ],
    [
      'a content that holds another one, sent as it should be',
      `${bare(`x${bare('y')}z`)}\r\n--b--`,
      [hashed(`x${bare('y')}z`)],
    ],
    ['no hash', `--b\r\n\r\nx${bare('y')}\r\n--b--`, [one(`x${bare('y')}`)]],
    [
      'the hash of something else',
      `${bare('x').replace(/x$/, 'z')}${bare('y')}\r\n--b--`,
      [{ ...hashed('x'), content: `z${bare('y')}` }],
    ],
    [
      'a thousand marks before',
      `${bare('--b'.repeat(1000))}${bare('x')}\r\n--b--`,
      [{ ...hashed('--b'.repeat(1000)), content: `${'--b'.repeat(1000)}${bare('x')}` }],
    ],
  ])('without CRLF before a boundary: %s', async (_what, body, parts) => {
    expect(await read(body, 'b', step)).toEqual(parts)
  })

  test.each<[string, string, RegExp]>([
    ['text behind a content that is whole', `${bare('first')}--bx\r\n\r\ny\r\n--b--`, /followed by CRLF/],
    ['nothing behind a content that is whole', `${bare('first')}--b`, /the closing boundary/],
    ['nothing', '', /is not in the body/],
    ['another boundary', '--c\r\n\r\nx\r\n--c--', /is not in the body/],
    ['no end', '--b\r\n\r\nx\r\n', /the closing boundary/],
    ['an end without dashes', '--b\r\n\r\nx\r\n--b\r\n', /the closing boundary/],
    ['half an end', '--b\r\n\r\nx\r\n--b-', /the closing boundary/],
    ['the end within headers', '--b\r\nA: 1\r\n--b--\r\n', /blank line/],
    ['LF alone', '--b\nA: 1\n\nx\n--b--\n', /followed by CRLF/],
    ['a longer boundary', '--b\r\n\r\nx\r\n--bc\r\n\r\ny\r\n--b--', /followed by CRLF/],
    ['a header without colon', '--b\r\nA 1\r\n\r\nx\r\n--b--', /a name, a colon and a value/],
    ['a header twice', '--b\r\nA: 1\r\na: 2\r\n\r\nx\r\n--b--', /occurs twice/],
    ['endless headers', `--b\r\nA: ${'1'.repeat(9000)}`, /at most 8192 bytes/],
    ['long headers', `--b\r\nA: ${'1'.repeat(9000)}\r\n\r\nx\r\n--b--`, /at most 8192 bytes/],
    ['too many parts', `${'--b\r\n\r\nx\r\n'.repeat(252)}--b--`, /at most 250 parts/],
  ])('%s is refused', async (_what, body, message) => {
    await expect(read(body, 'b', step)).rejects.toThrow(message)
  })
})

test('30 MB of what may always be the start of a boundary take less than a second', bestOfThree, async () => {
  const began = processorTime()
  const chunk = '\r\n--bbbbbbbbbbb'.repeat(4000)
  await read(`--bbbbbbbbbbbb!\r\n\r\n${chunk.repeat(500)}\r\n--bbbbbbbbbbbb!--`, 'bbbbbbbbbbbb!', 65_536)
  expect(processorTime() - began).toBeLessThan(1000)
})

test.each(['--b', '--b\r\n', '-', '\r\n--'])(
  '10 MB of %j, where every mark may end a content, take less than a second',
  bestOfThree,
  async (text) => {
    const began = processorTime()
    await read(`--b\r\nhash: ${'0'.repeat(128)}\r\n\r\n${text.repeat(10_000_000 / text.length)}`, 'b', 65_536).catch(
      () => {},
    )
    expect(processorTime() - began).toBeLessThan(1000)
  },
)

test.each([
  ['white space and a line feed', `A:${' '.repeat(8_000)}\n`],
  ['white space within', `A:x${' '.repeat(8_000)}y`],
  ['white space before the colon', `A${' '.repeat(8_000)}x`],
  ['folds', `A:1${'\r\n '.repeat(2_000)}`],
])('a header of 8 KB takes next to no time: %s', bestOfThree, async (_what, header) => {
  const began = processorTime()
  await read(`--b\r\n${header}\r\n\r\nx\r\n--b--`, 'b', 65_536).catch(() => {})
  expect(processorTime() - began).toBeLessThan(50)
})

test.each([
  ['multipart/mixed; boundary=abc', 'abc'],
  ['multipart/mixed;boundary=-------314', '-------314'],
  ['multipart/mixed; charset=utf-8; Boundary="a b\\"c:/?"; x=y', 'a b"c:/?'],
  ["multipart/mixed; boundary=abcABC0123'()+_,-./:=?", "abcABC0123'()+_,-./:=?"],
])('the boundary of %s', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary)
})

test.each([
  'multipart/mixed',
  'multipart/mixed;',
  'multipart/mixed; boundary=',
  'multipart/mixed; boundary=""',
  `multipart/mixed; boundary=${'x'.repeat(71)}`,
])('%s has no boundary', (type) => {
  expect(() => boundaryOf(type)).toThrow(/boundary/)
})
