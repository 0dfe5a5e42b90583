import { expect, test } from 'vitest'
import { authenticatedCallers } from './authenticated-callers.ts'

test('who was accepted has a name of its own, all others have one together', () => {
  const known = authenticatedCallers()
  expect(known.nameOf('Basic a')).toBe(known.nameOf('Basic b'))
  known.accept('Basic a')
  expect([known.nameOf('Basic a'), known.nameOf('Basic b')]).toEqual(['Basic a', ''])
})

test('what is remembered is bounded', () => {
  const known = authenticatedCallers()
  for (let n = 0; n < 10_001; n++) known.accept(`Basic ${n}`)
  expect([known.nameOf('Basic 10000'), known.nameOf('Basic 0')]).toEqual(['Basic 10000', ''])
})
