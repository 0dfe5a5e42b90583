import type { Logger } from 'pino'
import { findStudio } from '../access/find-studio.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import type { AuditActor, NewAuditEntry } from '../store/audit.ts'
import type { Store } from '../../store.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { bounded, entryOf, type CountedNote, type Note, type Subject } from './audit-entry.ts'
import { countedEntries, merged } from './counted-entries.ts'

export interface NoteAuditOptions {
  readonly log: Pick<Logger, 'error'>
  /** Called with the number of entries that could not be written. */
  readonly onLost: (entries: number) => void
  readonly everyMs: number
  /** Kinds of counted entries that are kept apart. */
  readonly kinds: number
  /** Entries of one account in ten minutes; further ones are counted. */
  readonly ofAccount: number
  readonly now?: () => number
}

const accounts = 10_000
const budgetMs = 10 * 60_000

/**
 * Writes the audit log. An entry is written right after what it is about, in a statement of its own; when that fails,
 * the log of the process has the entry, as an error.
 */
export function noteAudit(store: Pick<Store, 'audit' | 'studios' | 'credentials'>, options: NoteAuditOptions) {
  const { log, onLost, ofAccount, now = Date.now } = options
  const counted = countedEntries(options.kinds)
  let budgets = new Map<string, number>()
  let budgetsFrom = now()
  let writing = Promise.resolve()

  async function write(notes: readonly CountedNote[]): Promise<void> {
    try {
      const entries: NewAuditEntry[] = []
      for (const note of notes) entries.push(await namedEntry(store, note))
      await store.audit.add(merged(entries))
    } catch (error) {
      onLost(notes.length)
      for (const note of notes)
        log.error({ err: error, entry: entryOf(note) }, 'an entry of the audit log could not be written')
    }
  }

  function isWithinBudget({ kind, id = '' }: AuditActor): boolean {
    if (kind !== 'account') return true
    if (now() - budgetsFrom > budgetMs || budgets.size >= accounts) {
      budgets = new Map()
      budgetsFrom = now()
    }
    const used = (budgets.get(id) ?? 0) + 1
    budgets.set(id, used)
    return used <= ofAccount
  }

  async function flush(): Promise<void> {
    const taken = counted.take()
    if (taken.length > 0) writing = writing.then(() => write(taken))
    await writing
  }
  const timer = setInterval(() => void flush(), options.everyMs).unref()

  return {
    /** Resolves when the entry is written, or counted. Never fails. */
    async note(given: Note): Promise<void> {
      const note = bounded(given)
      const isSingle = !note.counted && (note.outcome ?? 'ok') === 'ok' && note.actor.kind !== 'stranger'
      if (isSingle && isWithinBudget(note.actor)) await write([{ ...note, count: 1 }])
      else counted.add(note)
    },
    /** Writes what was counted. */
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}

export type NoteAudit = ReturnType<typeof noteAudit>

type Names = Pick<Store, 'audit' | 'studios' | 'credentials'>

/** The row with name and studio of the subject, as they are now. */
async function namedEntry(store: Names, note: CountedNote): Promise<NewAuditEntry> {
  const entry = entryOf(note)
  const { subject, studio, actor } = note
  const found = subject?.id ? await find(store, subject.kind, subject.id) : undefined
  if (!found) return entry
  const isHidden = subject!.kind === 'account' ? actor.kind === 'account' : found.studio !== actor.studio
  // a refused caller learns no names and fills no log of others; but failed sign-ins are shown
  if (entry.outcome !== 'ok' && isHidden) return entry
  const named = { ...subject!, ...found.subject }
  return {
    ...entry,
    subject: named,
    studio: studio ?? found.studio ?? actor.studio,
    actor: actor.kind === 'account' && actor.id === undefined ? { ...named, studio: found.studio } : actor,
  }
}

interface Found {
  readonly subject: Partial<Subject>
  /** UUID. */
  readonly studio: string | undefined
}

async function find(
  { audit, studios, credentials }: Names,
  kind: Subject['kind'],
  id: string,
): Promise<Found | undefined> {
  if (kind === 'game' || kind === 'credential') {
    const gameId = kind === 'game' ? id : (await credentials.find(id))?.gameId
    const game = gameId !== undefined && isUuid(gameId) ? await audit.game(gameId) : undefined
    return game && { subject: { name: game.name }, studio: game.studio ?? undefined }
  }
  if (kind === 'account') {
    const found = await audit.account(id)
    return found && { subject: { id: found.id, name: found.name }, studio: found.studio ?? undefined }
  }
  if (kind !== 'studio') return undefined
  const found = await findStudio({ studios }, id).catch((error: unknown) => {
    if (!(error instanceof Refusal) || isAway(error)) throw error
  })
  return found ? { subject: { id: found.studioId, name: found.name }, studio: found.studioId } : undefined
}
