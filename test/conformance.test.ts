import { expect, test } from 'vitest'
import { conformance } from './list-requirements.ts'

test('docs/conformance.md says which test holds which requirement: `node start/bootstrap.mjs test/list-requirements.ts` writes it', () => {
  const { is, shallBe } = conformance()
  expect(is).toBe(shallBe)
})
