import { expect, test } from 'vitest'
import { savedViews } from '../../../shared/limits.ts'
import { viewAddress } from './saved-view.ts'

const kept = (page: string, query = '') => viewAddress({ page, query })

test.each([
  ['', ''],
  ['data/progress', 'days=90&build=3&compare=2'],
  ['data/progress/funnel', 'from=sandbox'],
  ['statements', 'verb=completed&since=2026-11-01'],
])('%s with %s is kept as it is', (page, query) => expect(kept(page, query)).toEqual({ page, query }))

test('what has a meaning in an address is encoded', () =>
  expect(kept('data/answers', 'of=https://g.example/a b&days=7').query).toBe('of=https%3A%2F%2Fg.example%2Fa+b&days=7'))

test.each([
  ['//evil.example', ''],
  ['https://evil.example', ''],
  ['../../account', ''],
  ['data/../edit', ''],
  ['data/progress?x', ''],
  ['data/progress\n', ''],
  ['credential', ''],
  ['learners', 'q=mia'],
  ['statements', 'agent=mia'],
  ['', 'days=7&days=30'],
  ['', `of=${'a'.repeat(savedViews.query)}`],
])('%j with %j is refused', (page, query) => expect(() => kept(page, query)).toThrow(/must/))
