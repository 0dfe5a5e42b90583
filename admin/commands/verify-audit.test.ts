import { expect, test } from 'vitest'
import { checked } from './verify-audit.ts'

test('what was checked of the audit log is a sentence, also where there is nothing to check', () => {
  expect(checked(0, 0n)).toBe('The audit log has no entry yet.')
  expect(checked(1, 7n)).toBe('1 entry, from position 7 on: none was changed, removed, added or moved.')
  expect(checked(2_000, 1n)).toBe('2,000 entries, from position 1 on: none was changed, removed, added or moved.')
})
