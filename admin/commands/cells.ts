import { setTimeout as pause } from 'node:timers/promises'
import { SplitState } from '../../gen/lrs/v1/cells_pb.js'
import { command, type Declared } from '../command.ts'
import { bytes, table } from '../show.ts'
import { bringBack } from './bring-back.ts'

/** Milliseconds: a game may be large. */
const longestMove = 2 * 60 * 60_000

const inMiddle = new Map([
  [SplitState.BEHIND, 'These cells take no writes. Do not promote the standby yet: it does not have all of them.'],
  [
    SplitState.WAITING,
    'These cells take no writes, and the standby has all of them. Promote it now; this goes on then.',
  ],
])

const opening = (open: boolean, about: string, example: string): Declared =>
  command({
    about,
    takes: { '<cell>': 'its number' },
    examples: [example],
    async run({ cells }, { cell }) {
      const set = await cells.openCell({ cell: Number(cell), open })
      return { json: set, text: `Cell ${cell} gets ${open ? '' : 'no '}new games.` }
    },
  })

export const commands = {
  list: command({
    about: 'list cells with their games and sizes',
    examples: ['cells list'],
    async run({ cells }) {
      const found = await cells.listCells({})
      const text = table(found.cells, '', {
        cell: ({ number }) => number,
        server: ({ server }) => server || '-',
        games: ({ games }) => games,
        size: ({ away, size }) => (away ? 'unknown' : bytes(size)),
        leaving: ({ leaving }) => leaving,
        note: ({ away, open }) =>
          [away ? 'its server cannot be reached' : '', open ? '' : 'gets no new games'].filter(Boolean).join(', '),
      })
      return { json: found, text }
    },
  }),
  add: command({
    about: 'add a cell; new games go to the cell with the fewest games',
    options: { '--server <name>': 'on this server of LRS_CELL_SERVERS, instead of that of the directory' },
    examples: ['cells add', 'cells add --server east'],
    async run({ cells }, { server = '' }) {
      const added = await cells.addCell({ server })
      const where = server === '' ? '' : ` on ${server}`
      return {
        json: added,
        text: `Added cell ${added.number}${where}. New games go to the cell with the fewest games.`,
      }
    },
  }),
  move: command({
    about: "move a game's statements to another cell while the game goes on",
    takes: { '<game>': 'id of the game', '<cell>': 'its number, as "cells list" shows it' },
    examples: ['cells move 53b1e480-6d20-4c1b-9f0e-2f1f3f0c7f7a 2'],
    async run({ cells }, { game, cell }) {
      const moved = await cells.moveGame({ gameId: game, cell: Number(cell) }, { timeoutMs: longestMove })
      const text =
        `Moved ${moved.statements} statements from cell ${moved.from} to cell ${cell}. ` +
        `Writers waited ${moved.waited} ms. The rows in cell ${moved.from} are deleted in the next minutes.`
      return { json: moved, text }
    },
  }),
  'move-all': command({
    about: 'move all games of a cell, one after the other; when it is interrupted, run it again',
    takes: {
      '<from>': 'number of the cell, which gets no new games from then on',
      '<to>': 'number of the cell that gets its games',
    },
    examples: ['cells move-all 1 2'],
    async run({ cells }, { from, to }, session) {
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
    },
  }),
  split: command({
    about: 'have a promoted standby of a server take over some of its cells; when it is interrupted, run it again',
    takes: {
      '<from>': 'name of their server in LRS_CELL_SERVERS',
      '<to>': 'name of the standby there',
      '<cells...>': 'numbers of the cells',
    },
    options: { '--cancel': 'let the cells take writes again where they are, before the standby has them' },
    examples: ['cells split east west 3 4'],
    async run({ cells: service }, { from, to, cells, cancel = false }, session) {
      const request = { from, to, cells: cells.map(Number) }
      let { state } = await service.splitServer({ ...request, cancel })
      for (let said: SplitState | undefined; inMiddle.has(state); await pause(1_000)) {
        if (state !== said) session.note(inMiddle.get(state)!)
        said = state
        ;({ state } = await service.splitServer(request, { timeoutMs: longestMove }))
      }
      if (state === SplitState.THERE) {
        session.note(`The cells are on ${to} and take writes. In a minute their rows on ${from} are deleted.`)
        await pause(61_000)
        ;({ state } = await service.splitServer(request, { timeoutMs: longestMove }))
      }
      const text =
        state === SplitState.CANCELLED
          ? `The cells take writes on ${from}.`
          : `Cells ${cells.join(', ')} are on ${to}, and nothing of them is left on ${from}.`
      return { json: { state: SplitState[state] }, text }
    },
  }),
  mend: command({
    about: 'mend games that are refused since the directory lost its last commits (a failover, a restore)',
    examples: ['cells mend'],
    async run({ cells }) {
      const mended = await cells.mendGames({}, { timeoutMs: longestMove })
      const places = mended.games.map(({ gameId, cell }) => `${gameId} is in cell ${cell}`)
      const text = mended.games.length === 0 ? 'Nothing is to be mended.' : `Mended:\n${places.join('\n')}`
      return { json: mended, text }
    },
  }),
  'bring-back': bringBack,
  open: opening(true, 'let a cell get new games', 'cells open 2'),
  close: opening(false, 'give a cell no new games; its own go on', 'cells close 2'),
}
