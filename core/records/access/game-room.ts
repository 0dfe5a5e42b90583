import { gameBytes as limits } from '../../../shared/limits.ts'
import { Refusal } from '../../process/refusal.ts'
import { usedOf } from './limited-games.ts'
import { unlessReadOnly } from '../../process/database/store-failure.ts'
import type { Store } from '../../store.ts'

/**
 * Bytes that games with a quota may still store: the quota less the last count of the database, less the bytes that
 * came to this core since. So no request waits for a count. Several cores together may exceed a quota by the bytes that
 * arrive between two counts.
 */
export function gameRoom({ gameBytes, gameQuotas }: Pick<Store, 'gameBytes' | 'gameQuotas'>) {
  let left = new Map<number, { bytes: number }>()

  async function look(): Promise<number[]> {
    const games = await usedOf(gameBytes, await gameQuotas.all())
    left = new Map(
      games.flatMap(({ game, sandbox, quota, used }) => {
        const room = { bytes: quota - used }
        return sandbox === null
          ? [[game, room]]
          : [
              [game, room],
              [sandbox, room],
            ]
      }),
    )
    return [...left.keys()]
  }

  return {
    /** Takes room for the bytes that a game sends. @throws Refusal 'game-full' */
    take(game: number, bytes: number): void {
      const room = left.get(game)
      if (!room) return
      if (room.bytes < bytes) throw new Refusal('game-full', limits.refusal, { rule: 'limits#gameBytes' })
      room.bytes -= bytes
    },
    /** Reads quotas and counts. */
    look,
    /** Counts the bytes stored since the last count. */
    async count(): Promise<void> {
      const count = async (): Promise<void> => {
        await gameBytes.addChanges()
        for (const game of await look()) while (await gameBytes.count(game));
      }
      try {
        await count().catch(unlessReadOnly)
      } finally {
        await look()
      }
    },
  }
}

export type GameRoom = ReturnType<typeof gameRoom>
