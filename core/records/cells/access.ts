import { setTimeout as pause } from 'node:timers/promises'
import { batcher, usualWait } from '../../process/concurrency/batcher.ts'
import { Refusal } from '../../process/refusal.ts'
import { copyOf, writeCopy } from '../store/cell/copies.ts'
import { areCurrent } from '../store/cell/credentials.ts'
import type { Places } from './places.ts'
import type { Credentialed } from '../store/cell/write-statements.ts'
import type { Database } from '../../process/database/database.ts'

/** Milliseconds between looks whether a game has moved, and most looks. */
const settles = { every: 20, looks: 100 }

/** What cells on other servers ask the server of the directory, which alone knows what credentials allow. */
export function sharedWith({ run }: Pick<Database, 'run'>, places: Pick<Places, 'read'>) {
  const { call } = batcher((all: readonly Credentialed[]) => areCurrent(run, all), {
    ...usualWait,
    maxWeight: 256,
    concurrency: 2,
  })
  return {
    /** Whether the credential is unchanged and its session has not ended, at a moment after this was asked. */
    isCurrent: (who: Credentialed): Promise<boolean> => call(who),

    /** The same of several at once. */
    areCurrent: (all: readonly Credentialed[]): Promise<boolean[]> => areCurrent(run, all),

    /** Brings what the cell has to know of a game, once it is settled where the game is. */
    async bring(game: number, to: Pick<Database, 'run'>): Promise<void> {
      for (let look = 0; look < settles.looks; look++) {
        const copy = await copyOf(run, game)
        if (!copy) return
        if (!copy.settling) {
          // the cell may have gone to another server with it
          await places.read()
          return writeCopy(to.run, copy)
        }
        await pause(settles.every)
      }
      throw new Refusal('unavailable', 'The game is being moved to another cell; try again.')
    },
  }
}

export type Access = ReturnType<typeof sharedWith>
