import type { Core } from '../../context.ts'
import { gameReader } from './game-reader.ts'
import { readerOf } from '../../records/access/caller.ts'

/** Where the order of a game's statements is now, in microseconds: what comes after it was stored later. */
export async function placeNow(
  core: Pick<Core, 'store' | 'authenticator' | 'config'>,
  gameId: string,
): Promise<number> {
  for (;;) {
    const reader = await gameReader(core, undefined, { gameId, sandbox: false })
    // without a credential it has no statements, and everything is still to come
    if (!reader) return 0
    const range = { after: Number.MAX_SAFE_INTEGER, ascending: true, limit: 1 }
    const found = await core.store.statements.page({ ...readerOf(reader), everything: false }, {}, range)
    if (found !== 'stale') return found.consistentThrough
    await core.authenticator.forget(reader)
  }
}
