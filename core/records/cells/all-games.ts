import { setTimeout as pause } from 'node:timers/promises'
import { isAway, Refusal } from '../../process/refusal.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

/** Reads that a change of the placement may make useless, one after the other. */
const attempts = 5
/** Milliseconds after which it is looked again whether a game has changed servers, and most looks. */
const settles = { every: 20, looks: 150 }
/** A cell in which a transaction writes has no newer watermark; readers wait for it this often, 5 ms each. */
const waits = 10

/**
 * Reads all games, over all cells. Each cell has an order of its own, so the read ends at the smallest of their
 * watermarks. They are taken first: what a cell stores later is after its watermark.
 * @param read reads one cell, up to this position; 'stale': the credential has changed
 * @returns undefined while there is one cell: its own read has its own watermark
 */
export async function readAll<Read>(
  places: Places,
  part: (cell: number) => Promise<Part>,
  read: (part: Part, through: number) => Promise<Read | 'stale'>,
): Promise<{ reads: Read[]; through: number } | 'stale'> {
  let placement = places.last()
  let looks = settles.looks
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (; placement.settling && looks > 0; looks--) {
      await pause(settles.every)
      placement = await places.read()
    }
    if (placement.settling) break
    const parts = await Promise.all(placement.cells.map(part))
    const through = parts.length === 1 ? Infinity : await completeIn(parts)
    const reads = await Promise.all(parts.map((one) => read(one, through)))
    const now = await places.read()
    if (now.changes === placement.changes && !now.settling) {
      const found = reads.filter((one): one is Awaited<Read> & Read => one !== 'stale')
      return found.length < reads.length ? 'stale' : { reads: found, through }
    }
    // a game that was moved meanwhile may be in both cells, or in neither
    placement = now
  }
  throw new Refusal('unavailable', 'Games are being moved between cells; try again.')
}

/** Asks all cells, and leaves out those whose server cannot be reached: for what is better told in part than not. */
export async function inReach<T>(all: () => Promise<Part[]>, ask: (part: Part) => Promise<T>): Promise<T[]> {
  const answers = await Promise.all(
    (await all()).map((part) =>
      ask(part).then(
        (answer) => [answer],
        (error: unknown) => {
          if (part.server !== undefined && isAway(error)) return []
          throw error
        },
      ),
    ),
  )
  return answers.flat()
}

/** The position up to which all cells are complete: that of the foremost cell, if the others get there soon. */
async function completeIn(parts: readonly Part[]): Promise<number> {
  let watermarks = await Promise.all(parts.map(({ order }) => order.ask()))
  const foremost = Math.max(...watermarks)
  for (let wait = 0; wait < waits && Math.min(...watermarks) < foremost; wait++) {
    await pause(5)
    watermarks = await Promise.all(parts.map(({ order }) => order.ask()))
  }
  return Math.min(...watermarks)
}

/** For jobs that go through all games: one without its server must not keep the others waiting. */
export const unlessAway = <T>({ server }: Part, work: Promise<T>, otherwise: T): Promise<T> =>
  work.catch((error: unknown) => {
    if (server !== undefined && isAway(error)) return otherwise
    throw error
  })
