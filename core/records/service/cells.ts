import { CellService, SplitState } from '../../../gen/lrs/v1/cells_pb.js'
import { Refusal } from '../../process/refusal.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, ofGame } from '../../process/methods/audit-entries.ts'
import { say } from '../../../shared/say.ts'

/** Batches of misplaced statements that one call brings back. */
const batches = 10
/** No `stored` is above it. */
const last = BigInt(Number.MAX_SAFE_INTEGER)

const splitStates = {
  behind: SplitState.BEHIND,
  waiting: SplitState.WAITING,
  there: SplitState.THERE,
  cleaned: SplitState.CLEANED,
  cancelled: SplitState.CANCELLED,
} as const

/** Cells, for admins. */
export const cellService = service(CellService, {
  listCells: method({ right: 'none', audit: reads }, async ({ store }) => ({
    cells: await store.cells.list(),
  })),
  addCell: method(
    {
      right: 'none',
      audit: { action: 'cell.add', details: ({ server }, added) => ({ cell: added?.number, server: added && server }) },
    },
    async (core, { server }) => {
      const number = await core.store.cells.add(server)
      if (number === undefined) throw new Refusal('conflict', 'There are 16 cells already, which is the most.')
      core.log.info({ cell: number, server }, 'a cell was added')
      return { number }
    },
  ),
  moveGame: method(
    { right: 'none', audit: { ...ofGame('game.move'), details: ({ cell }, moved) => ({ cell, from: moved?.from }) } },
    async (core, { gameId, cell }) => {
      const moved = await core.store.cells.move(gameId, cell)
      core.log.info({ game: gameId, cell, ...moved }, 'a game was moved')
      return { ...moved, waited: Math.ceil(moved.waited) }
    },
  ),
  openCell: method(
    { right: 'none', audit: { action: 'cell.open', details: ({ cell, open }) => ({ cell, open }) } },
    async ({ store }, { cell, open }) => {
      if (!(await store.cells.setOpen(cell, open)))
        throw new Refusal('not-found', say`There is no cell ${cell}; see cells list.`)
    },
  ),
  splitServer: method(
    {
      right: 'none',
      audit: {
        action: 'cell.split',
        details: ({ from, to, cells }, done) => ({
          from: done && from,
          to: done && to,
          cells: cells.join(', '),
          state: done && SplitState[done.state],
        }),
      },
    },
    async (core, { from, to, cells, cancel }) => {
      const state = await core.store.cells.split({ from, to, cells }, cancel)
      core.log.info({ from, to, cells, state }, 'a server is being split')
      return { state: splitStates[state] }
    },
  ),
  mendGames: method(
    { right: 'none', audit: { action: 'cell.mend', details: (_, done) => ({ games: done?.games.length }) } },
    async (core) => {
      const games = await core.store.cells.mend()
      for (const { gameId, cell, version } of games) core.log.warn({ game: gameId, cell, version }, 'a game was mended')
      return { games }
    },
  ),
  listMisplaced: method({ right: 'none', audit: reads }, async ({ store }) => ({
    misplaced: (await store.cells.misplaced()).map((one) => ({
      ...one,
      foundCell: one.found.cell,
      foundServer: one.found.server,
    })),
  })),
  bringBack: method(
    {
      right: 'none',
      audit: {
        ...ofGame('game.bring-back'),
        details: ({ foundCell, foundServer, discard }, done) => ({
          cell: foundCell,
          server: done && foundServer,
          discard,
          returned: done?.returned,
        }),
        unless: ({ preview }) => preview,
      },
    },
    async (core, { gameId, foundCell, foundServer, after, preview, discard }) => {
      const asked = { gameId, found: { cell: foundCell, server: foundServer }, preview, discard }
      const sum = { next: 0n, returned: 0, same: 0, expired: 0, different: [] as string[] }
      for (let at = after < last ? after : last, n = 0; n < batches; n++) {
        const { next, returned, same, expired, different } = await core.store.cells.bringBack({
          ...asked,
          after: String(at),
        })
        sum.returned += returned
        sum.same += same
        sum.expired += expired
        sum.different.push(...different)
        sum.next = at = BigInt(next)
        if (at === 0n) break
      }
      if (!preview) core.log.info({ game: gameId, ...asked.found, ...sum }, 'misplaced statements were brought back')
      return sum
    },
  ),
  listCellGames: method({ right: 'none', audit: reads }, async ({ store }, { cell }) => ({
    gameIds: await store.cells.games(cell),
  })),
})
