import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Page } from '../store/cell/read-pages.ts'
import { mergedPage } from './merge.ts'

const body = (size: number) => Buffer.alloc(size)

/** The page that a cell answers: what it has in the range, up to the limit. */
function pageOf(places: readonly number[], page: { ascending: boolean; limit: number }): Page {
  const ordered = [...places].sort((one, other) => (page.ascending ? one - other : other - one))
  const statements = ordered.slice(0, page.limit).map((stored) => ({ stored, body: body(10) }))
  return { statements, consistentThrough: 0, more: ordered.length > page.limit }
}

test('pages of several cells, read one after the other, give every statement once and in order', () => {
  const cells = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 30 }), {
    minLength: 2,
    maxLength: 4,
  })
  fc.assert(
    fc.property(cells, fc.boolean(), fc.integer({ min: 1, max: 12 }), (drawn, ascending, limit) => {
      // as in Postgres, no two cells have the same place
      const places = drawn.map((list, cell) => list.map((place) => place * 16 + cell))
      const seen: number[] = []
      for (let after: number | undefined; ;) {
        const left = places.map((list) =>
          list.filter((place) => after === undefined || (ascending ? place > after : place < after)),
        )
        const page = { ascending, limit }
        const merged = mergedPage(
          left.map((list) => pageOf(list, page)),
          9_999,
          page,
          1_000_000,
        )
        expect(merged.statements.length).toBeLessThanOrEqual(limit)
        seen.push(...merged.statements.map(({ stored }) => stored))
        if (!merged.more) break
        expect(merged.statements.length).toBeGreaterThan(0)
        after = seen.at(-1)
      }
      expect(seen).toEqual(places.flat().sort((one, other) => (ascending ? one - other : other - one)))
    }),
  )
})

test('a page of several cells has no more bytes than asked for, and says that more follow', () => {
  const pages = [1, 2].map((cell) => ({
    statements: [{ stored: cell, body: body(60) }],
    consistentThrough: 0,
    more: false,
  }))
  const merged = mergedPage(pages, 9, { ascending: true, limit: 5 }, 100)
  expect(merged.statements.map(({ stored }) => stored)).toEqual([1])
  expect(merged).toMatchObject({ more: true, consistentThrough: 9 })
})
