import type { ServiceImpl } from '@connectrpc/connect'
import type { CellService } from '../../../gen/lrs/v1/cells_pb.js'
import type { Core } from '../../context.ts'
import { Refusal } from '../../refusal.ts'

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
    listCellGames: async ({ cell }) => ({ gameIds: await store.cells.games(cell) }),
  }
}
