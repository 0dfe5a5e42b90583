import type { Developer } from '../store/studio-sessions.ts'
import { firstId, idAt, lastId, type AuditEntry } from '../store/audit.ts'
import type { Store } from '../../store.ts'
import { Problem } from '../../process/problem.ts'
import { isUuid } from '../../records/xapi/values.ts'

export interface AskedEntries {
  readonly action: string
  readonly actor: string
  /** Milliseconds since 1970; 0: no bound. */
  readonly since: number
  readonly until: number
  /** Id of an entry; empty: the first page. */
  readonly position: string
  /** 0: the usual number. */
  readonly limit: number
  readonly ascending: boolean
}

export interface EntryPage {
  readonly entries: readonly AuditEntry[]
  /** The position of the next page; undefined: there is none now. */
  readonly next: string | undefined
}

/** Rows that one query looks at, and queries for one page: a rare filter gets a short page, and the place to go on. */
const scan = 2_000
const looks = 10
/** An entry is committed this many milliseconds after its id was made at the latest: core's queries end after 10 s. */
const settledMs = 15_000

/** A page of the audit log. @param studio UUID; undefined: all studios @throws Problem */
export async function auditPage(
  { audit }: Pick<Store, 'audit'>,
  asked: AskedEntries,
  studio: string | undefined,
  now = Date.now(),
): Promise<EntryPage> {
  const { action, actor, since, until, position, ascending } = asked
  if (position !== '' && !isUuid(position)) throw new Problem('page.position', 'must be `next` of the page before')
  const limit = asked.limit || 50
  const settled = ascending ? idAt(now - settledMs) : lastId
  const end = until === 0 || until > now ? settled : least(idAt(until), settled)
  const begin = since === 0 ? firstId : before(idAt(Math.min(since, now)))
  let [after, through] = ascending
    ? [greatest(begin, position || firstId), end]
    : [begin, position ? before(position, end) : end]
  const entries: AuditEntry[] = []
  for (let look = 0; ; look++) {
    const left = limit - entries.length
    const query = { studio, action, actor, after, until: through, ascending, scan, limit: left }
    const found = await audit.page(query)
    entries.push(...found.entries)
    if (found.last === undefined) return { entries, next: ascending ? (entries.at(-1)?.id ?? position) : undefined }
    if (entries.length === limit || look === looks) return { entries, next: found.last }
    if (ascending) after = found.last
    else through = before(found.last)
  }
}

/** The same as the studio may see it: actors who are not of the studio have no name and no address. */
export async function ownAuditPage(store: Store, { studioId }: Developer, asked: AskedEntries): Promise<EntryPage> {
  const { entries, next } = await auditPage(store, asked, studioId)
  return {
    next,
    entries: entries.map((entry) =>
      entry.actor.studio === studioId || entry.actor.kind === 'stranger'
        ? entry
        : { ...entry, actor: { kind: entry.actor.kind }, address: undefined, request: undefined },
    ),
  }
}

const least = (one: string, other: string): string => (one < other ? one : other)
const greatest = (one: string, other: string): string => (one > other ? one : other)

/** The id before this one, at most `most`. */
function before(id: string, most = lastId): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`)
  const hex = (number > 0n ? number - 1n : 0n).toString(16).padStart(32, '0')
  return least(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), most)
}
