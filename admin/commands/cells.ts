import { AddCellResponseSchema, ListCellsResponseSchema, MoveGameResponseSchema } from '../../gen/lrs/v1/cells_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { bytes, table } from '../show.ts'

export const listCells: Work<object> = async (session) => {
  const found = await (await session.connect()).cells.listCells({})
  const rows = found.cells.map(({ number, games, size, leaving }) => [
    String(number),
    String(games),
    bytes(size),
    String(leaving),
  ])
  const text = table(['cell', 'games', 'size', 'leaving'], rows, '')
  return { json: jsonOf(ListCellsResponseSchema, found), text }
}

export const addCell: Work<object> = async (session) => {
  const added = await (await session.connect()).cells.addCell({})
  const text = `Added cell ${added.number}. New games go to the cell with the fewest games.`
  return { json: jsonOf(AddCellResponseSchema, added), text }
}

export const moveGame: Work<object> = async (session, [game, cell]) => {
  const { cells } = await session.connect()
  // one transaction, however large the game is
  const moved = await cells.moveGame({ gameId: game, cell: Number(cell) }, { timeoutMs: 2 * 60 * 60_000 })
  const text =
    `Moved ${moved.statements} statements from cell ${moved.from} to cell ${cell}. ` +
    `Writers waited ${moved.waited} ms. The rows in cell ${moved.from} are deleted in the next minutes.`
  return { json: jsonOf(MoveGameResponseSchema, moved), text }
}
