import {
  AddCellResponseSchema,
  ListCellsResponseSchema,
  MoveGameResponseSchema,
  OpenCellResponseSchema,
} from '../../gen/lrs/v1/cells_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { bytes, table } from '../show.ts'

/** Milliseconds: a game may be large. */
const longestMove = 2 * 60 * 60_000

export const listCells: Work<object> = async (session) => {
  const found = await (await session.connect()).cells.listCells({})
  const rows = found.cells.map(({ number, server, games, size, leaving, away, open }) => [
    String(number),
    server === '' ? '-' : server,
    String(games),
    away ? 'unknown' : bytes(size),
    String(leaving),
    [away ? 'its server cannot be reached' : '', open ? '' : 'gets no new games'].filter((note) => note).join(', '),
  ])
  const text = table(['cell', 'server', 'games', 'size', 'leaving', 'note'], rows, '')
  return { json: jsonOf(ListCellsResponseSchema, found), text }
}

export const addCell: Work<{ server?: string }> = async (session, _names, { server = '' }) => {
  const added = await (await session.connect()).cells.addCell({ server })
  const where = server === '' ? '' : ` on ${server}`
  const text = `Added cell ${added.number}${where}. New games go to the cell with the fewest games.`
  return { json: jsonOf(AddCellResponseSchema, added), text }
}

export const moveGame: Work<object> = async (session, [game, cell]) => {
  const { cells } = await session.connect()
  const moved = await cells.moveGame({ gameId: game, cell: Number(cell) }, { timeoutMs: longestMove })
  const text =
    `Moved ${moved.statements} statements from cell ${moved.from} to cell ${cell}. ` +
    `Writers waited ${moved.waited} ms. The rows in cell ${moved.from} are deleted in the next minutes.`
  return { json: jsonOf(MoveGameResponseSchema, moved), text }
}

/** Moves games one after the other, so what an interruption leaves is moved by the next run. */
export const moveAll: Work<object> = async (session, [from, to]) => {
  const { cells } = await session.connect()
  await cells.openCell({ cell: Number(from), open: false })
  const { gameIds } = await cells.listCellGames({ cell: Number(from) })
  let statements = 0n
  let waited = 0
  for (const [n, gameId] of gameIds.entries()) {
    const moved = await cells.moveGame({ gameId, cell: Number(to) }, { timeoutMs: longestMove })
    statements += moved.statements
    waited = Math.max(waited, moved.waited)
    session.note(`${n + 1} of ${gameIds.length}: moved ${gameId} with ${moved.statements} statements`)
  }
  const text =
    `Moved ${gameIds.length} games and sandboxes with ${statements} statements from cell ${from} to cell ${to}. ` +
    `Writers of one waited ${waited} ms at most. Cell ${from} gets no new games; "cells open ${from}" changes that.`
  return { json: { games: gameIds.length, statements: String(statements), waited }, text }
}

const setOpen =
  (open: boolean): Work<object> =>
  async (session, [cell]) => {
    const set = await (await session.connect()).cells.openCell({ cell: Number(cell), open })
    const text = open ? `Cell ${cell} gets new games.` : `Cell ${cell} gets no new games.`
    return { json: jsonOf(OpenCellResponseSchema, set), text }
  }

export const openCell = setOpen(true)
export const closeCell = setOpen(false)
