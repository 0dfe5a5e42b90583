import { expect, test } from 'vitest'
import { placeIn, placesAfter, placesAt, smallest, type CellPlaces } from './cell-places.ts'

const read = (...through: number[]): CellPlaces => ({
  placement: '1',
  cells: through.map((one, n) => ({ cell: n + 1, through: one, away: one === 0 })),
})
const places = (after: CellPlaces) => after.cells.map(({ through }) => through)

test('a cell that is away keeps its place, and is read from there when it is back', () => {
  const both = placesAfter(placesAt(100), read(500, 500))
  const without = placesAfter(both, read(900, 0))
  expect([places(both), places(without), smallest(without)]).toEqual([[500, 500], [900, 500], 500])
  // the page that catches up ends within what the other cell has given already
  const catching = placesAfter(without, read(1200, 1200), 700)
  expect([placeIn(without, '1', 2), places(catching)]).toEqual([500, [900, 700]])
  expect(places(placesAfter(catching, read(1300, 1300)))).toEqual([1300, 1300])
})

test('after a move or a new cell all cells are read from the smallest place', () => {
  const without = placesAfter(placesAfter(placesAt(0), read(500, 500)), read(900, 0))
  expect([1, 2, 3].map((cell) => placeIn(without, '2', cell))).toEqual([500, 500, 500])
})
