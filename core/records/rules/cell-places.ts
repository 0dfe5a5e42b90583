/** How far a reader of all games has come in each cell (docs/adr/0019). */
export interface CellPlaces {
  /** `changes` of the placement; empty: no cell was read yet. */
  readonly placement: string
  readonly cells: readonly CellPlace[]
}

interface CellPlace {
  readonly cell: number
  /** Microseconds. In a page, 0 for a cell that is away. */
  readonly through: number
  /** It could not be read. */
  readonly away: boolean
}

/** How a reader of all games reads the cells. */
export interface CellReading {
  /** Numbers of cells; empty: all. */
  readonly only: readonly number[]
  /** UUID of the only game that is read, in whichever cell it is. */
  readonly gameId?: string
  /** Go on without cells that cannot be read. */
  readonly withoutAway: boolean
  /** From where to read each cell, in place of `after`. */
  readonly places?: CellPlaces
}

/** Before the first page: the same position in all cells. */
export const placesAt = (through: number): CellPlaces => ({
  placement: '',
  cells: [{ cell: 0, through, away: false }],
})

export const smallest = ({ cells }: CellPlaces): number => Math.min(...cells.map(({ through }) => through))

/**
 * From where to read a cell. After a move or a new cell that is the smallest position of all cells: a game may have come
 * from a cell of which less was read. A statement that comes twice is better than one that never comes.
 * @param placement its `changes` now
 */
export const placeIn = (places: CellPlaces, placement: string, cell: number): number =>
  (places.placement === placement ? places.cells.find((one) => one.cell === cell) : undefined)?.through ??
  smallest(places)

/**
 * From where to read the cells after a page.
 * @param last position of its last statement, if more may follow
 */
export const placesAfter = (before: CellPlaces, { placement, cells }: CellPlaces, last = Infinity): CellPlaces => ({
  placement,
  cells: cells.map(({ cell, through, away }) => {
    const began = placeIn(before, placement, cell)
    return { cell, through: away ? began : Math.max(began, Math.min(through, last)), away }
  }),
})
