import { expect, test } from 'vitest'
import { passwords } from './passwords.ts'

test('a sender that fills the line keeps nobody else from signing in', async () => {
  const line = passwords()
  const hash = await line.hash('correct horse', 'owner')
  let tried = 0
  const flood = Array.from({ length: 1_000 }, () =>
    line.matches('wrong', hash, 'flood').then(
      () => void tried++,
      () => {},
    ),
  )
  expect(await line.matches('correct horse', hash, 'owner')).toBe(true)
  // its turn comes after one or two of the flood, not after a hundred
  expect(tried).toBeLessThan(20)
  await Promise.all(flood)
  expect(tried).toBeLessThan(110)
})
