import { Refusal } from '../../process/refusal.ts'
import type { Batch, Outcome } from '../store/cell/write-statements.ts'
import type { Ingest } from './ingest.ts'

/**
 * Commits the batches of each cell in groups of their own, so that a slow commit delays only its cell.
 * @param make the groups of one cell
 * @param maxWaitingBytes bytes that may wait in all cells
 */
export function ingestByCell(make: () => Ingest, maxWaitingBytes: number) {
  const cells = new Map<number, Ingest>()

  function of(cell: number): Ingest {
    let one = cells.get(cell)
    if (!one) cells.set(cell, (one = make()))
    return one
  }
  const waitingBytes = (): number => [...cells.values()].reduce((sum, one) => sum + one.waitingBytes(), 0)

  return {
    /** Checks that a batch with this many bytes has room, before any work on it. @throws Refusal 'unavailable' */
    expectRoom({ cell, game }: { cell: number; game: number }, bytes: number): void {
      if (waitingBytes() + bytes > maxWaitingBytes)
        throw new Refusal('unavailable', 'The store has more to write than it can take; try again.')
      of(cell).expectRoom(game, bytes)
    },
    store: (batch: Batch): Promise<Outcome> => of(batch.cell).store(batch),
    waitingBytes,
    /** Resolves when no batch waits or is stored. */
    idle: async (): Promise<void> => void (await Promise.all([...cells.values()].map((one) => one.idle()))),
  }
}

export type IngestByCell = ReturnType<typeof ingestByCell>
