import { throwIfStale, type Caller, readerOf } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { StoredAttachment } from '../store/cell/attachments.ts'
import type { Store } from '../../store.ts'

/**
 * The contents that came with these statements, by their positions in the order, each once.
 * @param cells that the statements were read from; undefined: all
 */
export async function attachmentsOf(
  store: Store,
  caller: Caller,
  stored: readonly number[],
  cells?: readonly number[],
): Promise<StoredAttachment[]> {
  return stored.length === 0 ? [] : store.attachments.of(readerOf(caller), stored, cells)
}

/** Finds a content that came with a statement which the caller may read; it is read chunk by chunk. */
export async function openAttachment(store: Store, caller: Caller, sha2: string): Promise<AsyncIterable<Buffer>> {
  const id = throwIfStale(await store.attachments.find(readerOf(caller), sha2))
  if (id === undefined) throw new Refusal('not-found', 'No statement that you may read came with this content.')
  return chunksOf(store, id)
}

async function* chunksOf(store: Store, id: number): AsyncGenerator<Buffer> {
  for (let n = 0; ; n++) {
    const chunk = await store.attachments.chunk(id, n)
    if (chunk === undefined) return
    yield chunk
  }
}
