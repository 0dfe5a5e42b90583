import type { ExportStatementsResponse } from '../../../gen/lrs/v1/exports_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { exports as limits } from '../../../shared/limits.ts'
import { StaleCaller, type Caller, readerOf } from '../../records/access/caller.ts'
import type { Core } from '../../context.ts'
import { encoding, type Encoding } from '../export/encoding.ts'
import type { Known, Unknown } from '../export/encoder.ts'
import type { ExportForm } from '../export/form.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Page } from '../../records/store/cell/read-pages.ts'
import { exact } from '../../records/xapi/exact.ts'
import { timeParameter } from '../../records/xapi/parameters.ts'
import { namesOf } from './export-names.ts'
import type { StatementFilter } from '../../../shared/statement-filters.ts'
import { filterOf } from '../../records/query/statements.ts'

export interface ExportQuery extends StatementFilter {
  /** Microseconds: go on after this place; undefined: from the beginning. */
  readonly after?: number
}

/** Bytes of the file, and how far it has come with them. */
export interface ExportPiece extends Omit<Fields<ExportStatementsResponse>, 'data'> {
  readonly data: Buffer
}

type Uses = Pick<Core, 'store' | 'fairQueue' | 'authenticator'>

/**
 * The file of a game's statements, the oldest first, with all that are stored when it begins. A page at a time is in
 * memory, and the next one is read when the last one was taken.
 * @param open reads the game; again, when its credential has changed
 * @throws Problem, Refusal
 */
export async function* exportStatements(
  core: Uses,
  open: () => Promise<Caller | undefined>,
  query: ExportQuery,
  form: ExportForm,
  signal: AbortSignal,
): AsyncGenerator<ExportPiece> {
  let caller = await open()
  const since = Math.max(timeParameter(query.since, 'since') ?? -Infinity, query.after ?? -Infinity)
  const end = timeParameter(query.until, 'until') ?? Infinity
  let after = Number.isFinite(since) ? since : undefined
  let until: number | undefined
  let statements = 0
  // a wrong filter is refused before anything is sent
  if (caller) filterOf(caller, query)
  const making: Encoding = encoding(form)
  try {
    while (caller) {
      signal.throwIfAborted()
      const page = await patiently(() => read(caller!))
      if (page === 'stale') {
        caller = await renewed(caller)
        continue
      }
      // what is stored meanwhile belongs to the next export
      until ??= Math.min(end, page.consistentThrough)
      const { length } = page.statements
      const through = page.more && length > 0 ? page.statements.at(-1)!.stored : until
      if (length > 0) {
        const unknown = await making.take(page.statements.map(exact))
        const data = await making.encode(await known(unknown))
        statements += length
        yield { data, statements, through }
      }
      after = through
      if (!page.more || length === 0) break
    }
    yield { data: await making.end(), statements, through: until ?? 0 }
  } finally {
    await making.close()
  }

  function read(reader: Caller): Promise<Page | 'stale'> {
    const range = {
      ascending: true,
      limit: 500,
      bytes: limits.pageBytes,
      after,
      until: Number.isFinite(until ?? end) ? (until ?? end) : undefined,
    }
    // of this game alone, even if its credential may read more
    return core.fairQueue.run(reader.game, () =>
      core.store.reads.page(
        { ...readerOf(reader), everything: false },
        filterOf(reader, query),
        range,
        until === undefined,
      ),
    )
  }

  async function renewed(stale: Caller): Promise<Caller | undefined> {
    await core.authenticator.forget(stale)
    return open()
  }

  async function known(unknown: Unknown): Promise<Known> {
    for (;;) {
      try {
        return await patiently(() => namesOf(core, caller!, unknown))
      } catch (error) {
        if (!(error instanceof StaleCaller)) throw error
        caller = await renewed(caller!)
        if (!caller) return { verbs: [], activities: [] }
      }
    }
  }

  /** A busy moment does not end a file that has taken minutes. */
  async function patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let left: number = limits.patience; ; left--) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof Refusal && error.reason === 'unavailable') || left === 0) throw error
        await pause(limits.pauseMs, undefined, { signal })
      }
    }
  }
}

/** About how many statements an export has, up to what is sent at once. @throws Problem */
export async function countExport(
  { store, fairQueue }: Pick<Core, 'store' | 'fairQueue'>,
  caller: Caller | undefined,
  query: ExportQuery,
): Promise<{ statements: number; more: boolean }> {
  const after = timeParameter(query.since, 'since')
  const until = timeParameter(query.until, 'until')
  if (!caller) return { statements: 0, more: false }
  const filter = filterOf(caller, query)
  const count = await fairQueue.run(caller.game, () =>
    store.countStatements(caller.game, filter, { after, until, most: limits.direct + 1 }),
  )
  return { statements: Math.min(count, limits.direct), more: count > limits.direct }
}
