import { describe, expect, test } from 'vitest'
import { readAll } from './all-games.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Part } from './part.ts'
import type { Placement, Places } from './places.ts'

/** Places that change while reads run: each look gets the next placement. */
function placesThat(...placements: Placement[]): Places {
  let last = placements.shift()!
  return {
    last: () => last,
    read: async () => (last = placements.shift() ?? last),
    recent: async () => last,
    of: async () => 1,
    gameOf: async () => 1,
    serverOf: async () => null,
    lastServerOf: () => null,
  }
}

const cellsWith = (watermarks: readonly number[]) => async (cell: number) =>
  ({ number: cell, order: { ask: async () => watermarks[cell - 1]! } }) as unknown as Part

const two = (changes: string): Placement => ({ changes, cells: [1, 2], servers: [null, null], settling: [] })

describe('a read of all games', () => {
  test('ends at the smallest watermark of the cells', async () => {
    const read = await readAll(placesThat(two('1')), cellsWith([500, 300]), async (_, through) => through)
    expect(read).toMatchObject({ reads: [300, 300], through: 300 })
  })

  test('is done again when a game moved meanwhile, or a cell was added', async () => {
    const asked: number[][] = []
    const counted = (places: Places) => {
      asked.push([])
      return readAll(places, cellsWith([500, 500]), async ({ number }) => asked.at(-1)!.push(number))
    }
    await counted(placesThat(two('1'), two('2'), two('2')))
    await counted(placesThat({ ...two(''), cells: [1] }, two('1'), two('1')))
    expect(asked).toEqual([
      [1, 2, 1, 2],
      [1, 1, 2],
    ])
  })

  test('waits while a game changes servers, and is done again when one does meanwhile', async () => {
    const changing = { ...two('1'), settling: [1, 2] }
    const asked: number[] = []
    const places = placesThat(changing, changing, two('2'), { ...two('2'), settling: [1, 2] }, two('3'), two('3'))
    const read = await readAll(places, cellsWith([500, 500]), async ({ number }) => asked.push(number))
    expect(read).toMatchObject({ through: 500 })
    expect(asked).toEqual([1, 2, 1, 2])
  })

  test('is stale when one of the cells says so, and gives up when games move all the time', async () => {
    const stale = await readAll(placesThat(two('1')), cellsWith([5, 5]), async ({ number }) =>
      number === 2 ? 'stale' : 1,
    )
    expect(stale).toBe('stale')
    const moving = placesThat(...Array.from({ length: 20 }, (_, n) => two(String(n))))
    await expect(readAll(moving, cellsWith([5, 5]), async () => 1)).rejects.toThrow(/being moved/)
  })

  const away = new Refusal('unavailable', 'away', { away: true })
  test.each([
    { what: 'its watermark', settling: [], cell: { ask: async () => Promise.reject(away) } },
    { what: 'what it has', settling: [], cell: { read: async () => Promise.reject(away) } },
    { what: 'nothing, while a game changes servers there', settling: [2], cell: {} },
  ])('goes on without a cell that does not tell $what, if its reader wants that', async ({ settling, cell }) => {
    const parts = async (number: number) => {
      const { ask = async () => 500 } = number === 2 ? cell : {}
      return { number, server: number === 2 ? 'east' : undefined, order: { ask } } as unknown as Part
    }
    const placement = { ...two('1'), cells: [1, 2, 3], settling }
    const read = async ({ number }: Part) => {
      if (number === 2) await cell.read?.()
      return number
    }
    expect(await readAll(placesThat(placement), parts, read, { withoutAway: true })).toMatchObject({
      reads: [1, 3],
      through: 500,
      each: [
        { cell: 1, away: false },
        { cell: 2, away: true },
        { cell: 3, away: false },
      ],
    })
    await expect(readAll(placesThat(placement), parts, read)).rejects.toThrow()
  })
})
