import { cellOver } from '../cell/cell.ts'
import type { Database } from '../database.ts'

/** One cell with its connections. */
export type Part = ReturnType<typeof cellOver> & { readonly number: number; readonly database: Database }

/** The cells that this core has connections to. Others are opened when they are first used. */
export function partsOf(first: Database, open: (cell: number) => Database, onOpen: (part: Part) => void) {
  const parts = new Map<number, Part>()

  function part(number: number): Part {
    let one = parts.get(number)
    if (!one) {
      const database = number === 1 ? first : open(number)
      parts.set(number, (one = { ...cellOver(database), number, database }))
      onOpen(one)
    }
    return one
  }

  return { part, opened: (): Part[] => [...parts.values()] }
}
