import type { CellReading as Asked } from '../../../gen/lrs/v1/statements_pb.js'
import { Problem } from '../../process/problem.ts'
import type { CellPlaces, CellReading } from '../rules/cell-places.ts'
import { placeParameter, uuidParameter } from '../xapi/parameters.ts'

/** How the request wants the cells to be read. @throws Problem */
export function cellReadingOf(asked: Asked): CellReading {
  const { only, gameId, withoutAway, places } = asked
  if (places?.cells.length === 0) throw new Problem('byCell.places.cells', 'must name at least one cell')
  return {
    only,
    gameId: uuidParameter(gameId, 'byCell.gameId'),
    withoutAway,
    places: places && {
      placement: String(places.placement),
      cells: places.cells.map(({ cell, through }) => ({
        cell,
        through: placeParameter(through, 'byCell.places.cells.through'),
        away: false,
      })),
    },
  }
}

/** The message. */
export const cellsOf = ({ placement, cells }: CellPlaces) => ({
  placement: BigInt(placement),
  cells: cells.map((one) => ({ ...one, through: BigInt(one.through) })),
})
