import type { ServiceImpl } from '@connectrpc/connect'
import type { CellService } from '../../../gen/lrs/v1/cells_pb.js'
import type { Core } from '../../context.ts'
import { Refusal } from '../../refusal.ts'

/** Batches of misplaced statements that one call brings back. */
const batches = 10
/** No `stored` is above it. */
const last = BigInt(Number.MAX_SAFE_INTEGER)

/** Cells, for admins. */
export function cellService({ store, log }: Pick<Core, 'store' | 'log'>): ServiceImpl<typeof CellService> {
  return {
    listCells: async () => ({
      cells: (await store.cells.list()).map(({ size, ...cell }) => ({ ...cell, size: BigInt(size) })),
    }),
    async addCell({ server }) {
      const number = await store.cells.add(server)
      if (number === undefined) throw new Refusal('conflict', 'There are 16 cells already, which is the most.')
      log.info({ cell: number, server }, 'a cell was added')
      return { number }
    },
    async moveGame({ gameId, cell }) {
      const { from, statements, waited } = await store.cells.move(gameId, cell)
      log.info({ game: gameId, from, cell, statements, waited }, 'a game was moved')
      return { from, statements: BigInt(statements), waited: Math.ceil(waited) }
    },
    async openCell({ cell, open }) {
      if (!(await store.cells.setOpen(cell, open)))
        throw new Refusal('not-found', `There is no cell ${cell}; see cells list.`)
      return {}
    },
    listMisplaced: async () => ({
      misplaced: (await store.cells.misplaced()).map(({ gameId, cell, found, statements }) => ({
        gameId,
        cell,
        foundCell: found.cell,
        foundServer: found.server,
        statements: BigInt(statements),
      })),
    }),
    async bringBack({ gameId, foundCell, foundServer, after, preview, discard }) {
      const asked = { gameId, found: { cell: foundCell, server: foundServer }, preview, discard }
      const sum = { next: 0n, returned: 0, same: 0, expired: 0, different: [] as string[] }
      for (let at = after < last ? after : last, n = 0; n < batches; n++) {
        const { next, returned, same, expired, different } = await store.cells.bringBack({
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
      if (!preview) log.info({ game: gameId, ...asked.found, ...sum }, 'misplaced statements were brought back')
      return sum
    },
    listCellGames: async ({ cell }) => ({ gameIds: await store.cells.games(cell) }),
  }
}
