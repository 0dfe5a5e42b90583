import type { Reader } from '../store/cell/page-parameters.ts'
import type { Batch, Credentialed, Outcome } from '../store/cell/write-statements.ts'
import type { Access } from './access.ts'
import type { Part } from './part.ts'

/**
 * A cell on another server than the directory's. Its own rows of credentials are copies, so the directory is asked,
 * too: before a write, and after a read. So what ends access holds at once, whether or not the cell can be told. A read
 * that is followed by an unchanged version began before any move of its game was done.
 */
export function remotePart(part: Part, access: Access): Part {
  const { statements, attachments, knowledge, database } = part

  async function checked<Found>(who: Credentialed, read: () => Promise<Found | 'stale'>): Promise<Found | 'stale'> {
    const found = await read()
    if (found !== 'stale' && (await access.isCurrent(who))) return found
    await access.bring(who.game, database)
    return 'stale'
  }

  async function store(group: readonly Batch[]): Promise<Outcome[]> {
    const current = await access.areCurrent(group)
    const good = group.filter((_, n) => current[n])
    const stored = good.length === 0 ? [] : await statements.store(good)
    let next = 0
    const outcomes = group.map((_, n): Outcome => (current[n] ? stored[next++]! : 'stale'))
    const stale = new Set(group.flatMap(({ game }, n) => (outcomes[n] === 'stale' ? [game] : [])))
    for (const game of stale) await access.bring(game, database)
    return outcomes
  }

  return {
    ...part,
    get server() {
      return part.server
    },
    statements: {
      ...statements,
      store,
      byId: (reader, id, voided) => checked(reader, () => statements.byId(reader, id, voided)),
      page: (reader, filter, page) => checked(reader, () => statements.page(reader, filter, page)),
    },
    attachments: {
      ...attachments,
      find: (reader: Reader, sha2: string) => checked(reader, () => attachments.find(reader, sha2)),
    },
    knowledge: {
      definitions: (who, activity) => checked(who, () => knowledge.definitions(who, activity)),
      names: (who, agent) => checked(who, () => knowledge.names(who, agent)),
    },
  }
}
