import type { NewAuditEntry } from '../store/audit.ts'
import { networkShown } from '../../process/rules/network.ts'
import type { CountedNote, Note } from './audit-entry.ts'

/**
 * Different subjects that the entries of one stranger name within a minute; further ones are counted without. The limit
 * on failed sign-ins of one sender (sign-in-from) admits no more.
 */
const subjectsOfStranger = 50

/**
 * Counts entries that are alike: by actor, or by the network of a stranger. The number of kinds is bounded, and so is
 * the number of rows that strangers can make.
 */
export function countedEntries(kinds: number) {
  let waiting = new Map<string, CountedNote>()
  let strangers = new Map<string, number>()

  function put(key: string, note: Note): void {
    const known = waiting.get(key)
    if (known) waiting.set(key, { ...note, count: known.count + 1 })
    else waiting.set(key, { ...note, count: 1 })
  }

  function keyOf({ action, outcome = 'ok', actor, subject, address }: Note): string {
    const who = actor.kind === 'stranger' ? [networkOf(address)] : [actor.kind, actor.id, actor.token]
    return JSON.stringify([action, outcome, who, subject?.kind, subject?.id])
  }

  return {
    add(note: Note): void {
      const isStranger = note.actor.kind === 'stranger'
      const key = keyOf(note)
      if (waiting.has(key)) return put(key, note)
      if (isStranger && note.subject) {
        const network = networkOf(note.address)
        const named = (strangers.get(network) ?? 0) + 1
        if (named > subjectsOfStranger || note.outcome === 'rate-limited') {
          const { subject: _, ...rest } = note
          return this.add(rest)
        }
        strangers.set(network, named)
      }
      // what comes from too many places at once is counted without the place
      const { subject: _, address: __, ...rest } = note
      const fits = waiting.size < kinds
      const kept = fits ? note : { ...rest, actor: isStranger ? note.actor : { kind: note.actor.kind } }
      put(fits ? key : keyOf(kept), kept)
    },
    /** What was counted since the last time. */
    take(): CountedNote[] {
      const taken = [...waiting.values()]
      waiting = new Map()
      strangers = new Map()
      return taken
    },
  }
}

const networkOf = (address: string | undefined): string => (address ? networkShown(address) : '')

/** Makes one entry of those that are alike, apart from their counts. */
export function merged(entries: readonly NewAuditEntry[]): NewAuditEntry[] {
  const kinds = new Map<string, NewAuditEntry>()
  for (const { count, request, ...entry } of entries) {
    const key = JSON.stringify(entry)
    const known = kinds.get(key)
    kinds.set(key, known ? { ...entry, count: known.count + count } : { ...entry, request, count })
  }
  return [...kinds.values()]
}
