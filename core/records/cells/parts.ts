import { cellOver } from './cell.ts'
import type { Counting } from '../store/cell/counting.ts'
import { sharedWith } from './access.ts'
import type { Database } from '../../process/database/database.ts'
import type { Part } from './part.ts'
import { remotePart } from './remote-part.ts'
import type { Places } from './places.ts'

/**
 * The cells that this core has connections to. Others are opened when they are first used.
 * @param open connections that work for a cell
 */
export function partsOf(
  first: Database,
  counting: Counting,
  places: Places,
  open: (cell: number, server: string | undefined) => Database,
  onOpen: (part: Part) => void,
) {
  const parts = new Map<number, Part>()
  const access = sharedWith(first)

  function add(number: number, server: string | undefined): Part {
    const database = number === 1 ? first : open(number, server)
    const local = { ...cellOver(database, counting), number, database, server }
    const one = server === undefined ? local : remotePart(local, access)
    parts.set(number, one)
    onOpen(one)
    return one
  }
  const shared = add(1, undefined)

  async function part(number: number): Promise<Part> {
    const known = parts.get(number)
    if (known) return known
    const server = (await places.serverOf(number)) ?? undefined
    return parts.get(number) ?? add(number, server)
  }

  return { shared, part, opened: (): Part[] => [...parts.values()] }
}
