import { describe, expect, test } from 'vitest'
import { readable } from './log.ts'

const time = Date.parse('2026-11-21T12:04:05.123Z')

describe('a readable line', () => {
  test.each([
    [{ level: 30, msg: 'portal is ready', port: 8081 }, '12:04:05.123 portal info portal is ready  port=8081\n'],
    [
      { level: 40, msg: 'no', path: '/x\u001b[31m', list: [1] },
      '12:04:05.123 portal warning no  path=/x [31m list=[1]\n',
    ],
    [
      { level: 50, msg: 'failed', err: { message: 'why', stack: 'Error: why\n    at a\u0007b' } },
      '12:04:05.123 portal error failed\n  Error: why\n      at a b\n',
    ],
    [{ level: 20 }, '12:04:05.123 portal debug \n'],
  ])('of %j', (entry, line) => expect(readable(JSON.stringify({ time, process: 'portal', ...entry }))).toBe(line))
})
