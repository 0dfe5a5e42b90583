import { Refusal } from '../../process/refusal.ts'
import type { StoredAttachment } from '../store/cell/attachments.ts'
import type { Reader } from '../store/cell/page-parameters.ts'
import type { Attached } from '../store/cell/write-statements.ts'
import { inReach, readAll } from './all-games.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

/** Each cell counts its contents by itself: outside of a cell, an id also has the number of the cell. */
const cells = 16
const idOf = (cell: number, id: number): number => id * cells + cell - 1
const cellOf = (id: number): number => (id % cells) + 1
const idInCell = (id: number): number => Math.floor(id / cells)

/** The contents of attachments, over all cells. A content is in the cell of its game. */
export function attachmentsOfCells(places: Places, all: () => Promise<Part[]>, part: (cell: number) => Promise<Part>) {
  const partWith = async (id: number) => (await part(cellOf(id))).attachments

  return {
    begin: async (cell: number, content: Buffer): Promise<number> =>
      idOf(cell, await (await part(cell)).attachments.begin(content)),
    append: async (id: number, n: number, content: Buffer): Promise<void> =>
      (await partWith(id)).append(idInCell(id), n, content),
    async keep(
      cell: number,
      id: number | undefined,
      n: number,
      content: Buffer,
      sha2: string,
      size: number,
    ): Promise<number> {
      const kept = id === undefined ? id : idInCell(id)
      return idOf(cell, await (await part(cell)).attachments.keep(kept, n, content, sha2, size))
    },
    discard: async (id: number): Promise<void> => (await partWith(id)).discard(idInCell(id)),
    async sweep(seconds: number, limit: number): Promise<number> {
      const swept = await inReach(all, ({ attachments }) => attachments.sweep(seconds, limit))
      return Math.max(...swept)
    },
    async find(reader: Reader, sha2: string): Promise<number | undefined | 'stale'> {
      const inCell = async ({ number, attachments }: Part) => {
        const id = await attachments.find(reader, sha2)
        return typeof id === 'number' ? idOf(number, id) : id
      }
      if (!reader.everything) return inCell(await part(reader.cell))
      const found = await readAll(places, part, inCell)
      return found === 'stale' ? found : found.reads.find((id) => id !== undefined)
    },
    chunk: async (id: number, n: number): Promise<Buffer | undefined> => (await partWith(id)).chunk(idInCell(id), n),
    /** @param cells that the statements were read from; undefined: all */
    async of(reader: Reader, stored: readonly number[], cells?: readonly number[]): Promise<StoredAttachment[]> {
      const inCell = async ({ number, attachments }: Part) =>
        (await attachments.of(reader, stored)).map((one) => ({ ...one, id: idOf(number, one.id) }))
      if (!reader.everything) return inCell(await part(reader.cell))
      const parts = cells === undefined ? all() : Promise.all(cells.map(part))
      const found = await Promise.all((await parts).map(inCell))
      const once = new Map(found.flat().map((one) => [one.sha2, one]))
      return [...once.values()].sort((one, other) => (one.sha2 < other.sha2 ? -1 : 1))
    },
  }
}

/** Contents that came for a batch, by their ids in the cell. @throws Refusal when the game was moved since they came */
export function attachedIn(cell: number, attached: readonly Attached[]): Attached[] {
  return attached.map((one) => {
    if (cellOf(one.attachment) !== cell)
      throw new Refusal('unavailable', 'The game was moved to another cell meanwhile; send the request again.')
    return { ...one, attachment: idInCell(one.attachment) }
  })
}
