import { expect, test } from 'vitest'
import { passwords } from './passwords.ts'

test('a sender that fills the line keeps nobody else from signing in', { timeout: 30_000 }, async () => {
  const line = passwords()
  const hash = await line.hash('correct horse', 'owner')
  const flood = Array.from({ length: 1_000 }, () =>
    line.matches('wrong', hash, 'flood').then(
      () => 'tried',
      () => 'refused',
    ),
  )
  const began = performance.now()
  expect(await line.matches('correct horse', hash, 'owner')).toBe(true)
  const waited = performance.now() - began
  const outcomes = await Promise.all(flood)
  expect(outcomes.filter((outcome) => outcome === 'refused').length).toBeGreaterThan(890)
  // its turn comes after one or two of the flood, not after a hundred
  expect(waited).toBeLessThan((performance.now() - began) / 3)
})
