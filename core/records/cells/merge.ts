import { fitting, type Found, type Page, type StatementPage } from '../store/cell/read-pages.ts'

/**
 * One page from the pages of several cells, all of the same range, which ends at `through` at the latest.
 * @param through position up to which every cell is complete
 * @param bytes most bytes of the page
 */
export function mergedPage(pages: readonly Page[], through: number, page: StatementPage, bytes: number): Page {
  const direction = page.ascending ? 1 : -1
  // beyond the end of a page with `more`, its cell has statements that were not read
  const ends = pages.flatMap(({ more, statements }) => (more ? [statements.at(-1)!.stored * direction] : []))
  const end = Math.min(...ends)
  const all = pages
    .flatMap(({ statements }) => statements)
    .filter(({ stored }) => stored * direction <= end)
    .sort((one, other) => direction * (one.stored - other.stored))
  const statements = fitting(all.slice(0, page.limit), bytes)
  return { statements, consistentThrough: through, more: ends.length > 0 || statements.length < all.length }
}

/** The oldest of the statements that the cells found. */
export function mergedFound(found: readonly Found[], through: number): Found {
  const [first] = found.flatMap(({ statements }) => statements).sort((one, other) => one.stored - other.stored)
  return { statements: first ? [first] : [], consistentThrough: through }
}
