import { gameBytes } from './limits.ts'
import { Refusal } from './refusal.ts'
import { unlessReadOnly } from './store/store-failure.ts'
import type { Store } from './store/store.ts'

/**
 * How many bytes games that have a quota may still store: what the database has counted, less what came to this core
 * since. So no request waits for a count. Several cores together may go beyond a quota by what comes between two counts.
 */
export function gameRoom(store: Store['gameBytes']) {
  let left = new Map<number, { bytes: number }>()

  async function look(): Promise<number[]> {
    const games = await store.limited()
    left = new Map(games.flatMap(({ game, sandbox, quota, used }) => {
      const room = { bytes: quota - used }
      return sandbox === null ? [[game, room]] : [[game, room], [sandbox, room]]
    }))
    return [...left.keys()]
  }

  return {
    /** Takes room for what a game sends. @throws Refusal 'game-full' */
    take(game: number, bytes: number): void {
      const room = left.get(game)
      if (!room) return
      if (room.bytes < bytes) throw new Refusal('game-full', gameBytes.refusal, { rule: 'limits#gameBytes' })
      room.bytes -= bytes
    },
    /** Reads quotas, and what is counted. */
    look,
    /** Counts what was stored since the last time. */
    async count(): Promise<void> {
      const count = async (): Promise<void> => {
        await store.addChanges()
        for (const game of await look()) while (await store.count(game));
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
