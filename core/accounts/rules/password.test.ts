import { expect, test } from 'vitest'
import { requireUsable } from './password.ts'

test.each([
  ['qwertyuiop', 'is one of the most common passwords'],
  ['Password123', 'is one of the most common passwords'],
  ['Football!1998', 'is one of the most common passwords'],
  ['BASKETBALL', 'is one of the most common passwords'],
  ['aaaaaaaaaaaa', 'must not be the e-mail address'],
  ['ann@example.org', 'must not be the e-mail address'],
  ['short', 'must have 10 characters'],
  ['x'.repeat(1025), 'must have 1024 bytes at most'],
])('%s is refused', (password, reason) =>
  expect(() => requireUsable(password, 'ann@example.org')).toThrow(`password: ${reason}`),
)

test.each(['three calm words', 'four calm words more', 'qwertyuiop and more', 'football and 1998', 'пароль для игр'])(
  '%s is not common',
  (password) => expect(() => requireUsable(password, 'ann@example.org')).not.toThrow(),
)
