import { Refusal } from '../../process/refusal.ts'
import type { Batch, Outcome } from '../store/cell/write-statements.ts'

export const refusal = 'The store has more to write than it can take; try again.'
/** Bytes that a definition or name has in `telling` beside its text, with what readers pay for it. */
const mentionBytes = 256

export const bytesOf = ({ prepared }: Batch): number =>
  prepared.statements.reduce((sum, { body }) => sum + body.length, 0)

/**
 * Definitions and names are written before the answer of their request. The next group does not wait for that. Until
 * then all readers look through them, so one game may have so many bytes of them and no more.
 */
export function untoldBytes(mostOfGame: number) {
  const games = new Map<number, number>()
  const add = (game: number, bytes: number): void => {
    const sum = (games.get(game) ?? 0) + bytes
    if (sum === 0) games.delete(game)
    else games.set(game, sum)
  }
  return {
    /** A game that waits for nothing has room for any batch. @throws Refusal 'unavailable' */
    expectRoom(game: number): void {
      if ((games.get(game) ?? 0) >= mostOfGame) throw new Refusal('unavailable', refusal)
    },
    whenTold(batch: Batch, outcome: Outcome): Outcome | Promise<Outcome> {
      if (typeof outcome !== 'object' || !outcome.told) return outcome
      const { game, prepared } = batch
      const bytes = bytesOf(batch) + (prepared.activities.length + prepared.agents.length) * mentionBytes
      add(game, bytes)
      return outcome.told.then(() => {
        add(game, -bytes)
        return outcome
      })
    },
  }
}
