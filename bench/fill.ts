import type { Store } from '../core/store.ts'
import type { Batch } from '../core/records/store/cell/write-statements.ts'
import { rulesFor } from '../core/records/xapi/dialect.ts'
import { prepareStatements } from '../core/records/xapi/prepare.ts'
import { timestampOf } from '../core/records/xapi/timestamp.ts'
import type { Shape } from './shapes/shape.ts'

export interface Credential {
  id: number
  version: number
  game: number
  gameId: string
  authority: string
}

const groupSize = 5_000

/** Prepares statements as core does: what its store takes. */
export function prepareBatch(statements: readonly string[], { id, version, game, authority }: Credential): Batch {
  const prepared = prepareStatements(Buffer.from(`[${statements.join(',')}]`), {
    rules: rulesFor('1.0.3', 'games'),
    authority,
    now: timestampOf(Date.now() * 1000),
    maxStatements: statements.length,
  })
  return { credential: id, credentialVersion: version, game, cell: 1, prepared }
}

/**
 * Fills the store from `from` to `size` statements with the store's own function, in groups of 5,000. It makes the next
 * group while it writes one.
 * @param credentials one for each game of the shape
 */
export async function fill(
  store: Store,
  credentials: readonly Credential[],
  shape: Shape,
  from: number,
  size: number,
  onProgress: (done: number) => void,
): Promise<void> {
  const source = shape.traffic(from + 1)
  let writing: Promise<unknown> = Promise.resolve()
  for (let made = from; made < size;) {
    const count = Math.min(groupSize, size - made)
    const byGame = Map.groupBy(
      Array.from({ length: count }, () => source.next()),
      ({ game }) => game,
    )
    // batches of at most 250, as clients send them
    const group = [...byGame].flatMap(([game, all]) =>
      chunks(
        all.map(({ json }) => json),
        250,
      ).map((statements) => prepareBatch(statements, credentials[game]!)),
    )
    made += count
    await writing
    onProgress(made)
    writing = store.statements.store(group)
    writing.catch(() => {})
  }
  await writing
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size))
}
