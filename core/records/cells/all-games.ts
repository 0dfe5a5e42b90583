import { setTimeout as pause } from 'node:timers/promises'
import { isAway, Refusal } from '../../process/refusal.ts'
import type { Part } from './part.ts'
import type { Placement, Places } from './places.ts'

/** Reads that a change of the placement may make useless, one after the other. */
const attempts = 5
/** Milliseconds after which it is looked again whether a game has changed servers; most looks, and of who goes on. */
const settles = { every: 20, looks: 150, looksWithoutAway: 10 }
/** A cell in which a transaction writes has no newer watermark; readers wait for it this often, 5 ms each. */
const waits = 10

interface Choice {
  /** The cells to read; default: all. */
  readonly cellsOf?: (placement: Placement) => Promise<readonly number[]>
  /** Go on without cells that cannot be read, or whose games are changing servers. */
  readonly withoutAway?: boolean
  /** Wait for a cell that is behind the others for a moment; default: yes. */
  readonly patient?: boolean
}

/**
 * Reads all games, over all cells. Each cell has an order of its own, so the read ends at the smallest of their
 * watermarks. They are taken first: what a cell stores later is after its watermark.
 * @param read reads one cell, up to this position; 'stale': the credential has changed
 * @returns `through` is infinite while there is one cell: its own read has its own watermark
 */
export async function readAll<Read>(
  places: Places,
  part: (cell: number) => Promise<Part>,
  read: (part: Part, through: number, placement: Placement) => Promise<Read | 'stale'>,
  { cellsOf = async ({ cells }) => cells, withoutAway = false, patient = true }: Choice = {},
) {
  let placement = places.last()
  let looks = withoutAway ? settles.looksWithoutAway : settles.looks
  const orAway: OrAway = (one, work) => (withoutAway ? unlessAway(one, work, 'away') : work)
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (; placement.settling.length > 0 && looks > 0; looks--) {
      await pause(settles.every)
      placement = await places.read()
    }
    const { settling } = placement
    if (settling.length > 0 && !withoutAway) break
    const cells = await cellsOf(placement)
    const parts = await Promise.all(cells.filter((cell) => !settling.includes(cell)).map(part))
    const { there, through } =
      cells.length === 1 ? { there: parts, through: Infinity } : await completeIn(parts, orAway, patient ? waits : 0)
    const answers = await Promise.all(there.map((one) => orAway(one, read(one, through, placement))))
    const now = await places.read()
    if (now.changes === placement.changes && now.settling.every((cell) => settling.includes(cell))) {
      const reads = answers.filter((one): one is Awaited<Read> & Read => one !== 'stale' && one !== 'away')
      if (answers.includes('stale')) return 'stale'
      const present = new Set(there.filter((_, n) => answers[n] !== 'away').map(({ number }) => number))
      const each = cells.map((cell) => ({ cell, away: !present.has(cell) }))
      return { reads, through, placement: placement.changes, each }
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

type OrAway = <T>(one: Part, work: Promise<T>) => Promise<T | 'away'>

/** The position up to which all cells are complete: that of the foremost cell, if the others get there soon. */
async function completeIn(
  parts: readonly Part[],
  orAway: OrAway,
  most: number,
): Promise<{ there: readonly Part[]; through: number }> {
  for (let [wait, there, foremost] = [0, parts, 0]; ; wait++) {
    const asked = await Promise.all(there.map((one) => orAway(one, one.order.ask())))
    there = there.filter((_, n) => asked[n] !== 'away')
    const watermarks = asked.filter((one) => one !== 'away')
    if (wait === 0) foremost = Math.max(...watermarks)
    const through = Math.min(...watermarks)
    if (through >= foremost || wait === most) return { there, through }
    await pause(5)
  }
}

/** For jobs that go through all games: one without its server must not keep the others waiting. */
export const unlessAway = <T, Otherwise>({ server }: Part, work: Promise<T>, otherwise: Otherwise) =>
  work.catch((error: unknown): Otherwise => {
    if (server !== undefined && isAway(error)) return otherwise
    throw error
  })
