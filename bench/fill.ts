import type { Store } from '../core/store/store.ts'
import type { Batch } from '../core/store/write-statements.ts'
import { rulesFor } from '../core/xapi/dialect.ts'
import { prepareStatements } from '../core/xapi/prepare.ts'
import { timestampOf } from '../core/xapi/timestamp.ts'
import { traffic } from './traffic.ts'

export interface Credential {
  id: number
  version: number
  game: number
  gameId: string
  authority: string
}

const batchSize = 250
const groupSize = 5_000

/** Prepares statements as core does: what its store takes. */
export function prepareBatch(statements: readonly string[], { id, version, game, authority }: Credential): Batch {
  const prepared = prepareStatements(Buffer.from(`[${statements.join(',')}]`), {
    rules: rulesFor('1.0.3', 'games'), authority, now: timestampOf(Date.now() * 1000), maxStatements: statements.length,
  })
  return { credential: id, credentialVersion: version, game, prepared }
}

/** Fills the store to `size` statements with the store's own function, in big groups: the next is made while one is written. */
export async function fill(store: Store, credential: Credential, from: number, size: number, onProgress: (done: number) => void): Promise<void> {
  const source = traffic(from + 1)
  let writing: Promise<unknown> = Promise.resolve()
  for (let made = from; made < size; ) {
    const group: Batch[] = []
    for (let room = groupSize; room > 0 && made < size; ) {
      const count = Math.min(batchSize, room, size - made)
      group.push(prepareBatch(Array.from({ length: count }, () => source.next().json), credential))
      room -= count
      made += count
    }
    await writing
    onProgress(made)
    writing = store.statements.store(group)
    writing.catch(() => {})
  }
  await writing
}
