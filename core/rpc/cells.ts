import type { ServiceImpl } from '@connectrpc/connect'
import type { CellService } from '../../gen/lrs/v1/cells_pb.js'
import type { Core } from '../context.ts'
import { Refusal } from '../refusal.ts'

/** Cells, for admins. */
export function cellService({ store, log }: Pick<Core, 'store' | 'log'>): ServiceImpl<typeof CellService> {
  return {
    listCells: async () => ({
      cells: (await store.cells.list()).map(({ size, ...cell }) => ({ ...cell, size: BigInt(size) })),
    }),
    async addCell() {
      const number = await store.cells.add()
      if (number === undefined) throw new Refusal('conflict', 'There are 16 cells already, which is the most.')
      log.info({ cell: number }, 'a cell was added')
      return { number }
    },
    async moveGame({ gameId, cell }) {
      const { from, statements, waited } = await store.cells.move(gameId, cell)
      log.info({ game: gameId, from, cell, statements, waited }, 'a game was moved')
      return { from, statements: BigInt(statements), waited: Math.ceil(waited) }
    },
  }
}
