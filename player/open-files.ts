import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { signedIn } from '../shared/signed-path.ts'
import type { CoreClient } from './core-client.ts'
import type { Place } from './place.ts'
import type { Senders } from './senders.ts'

/** An answer of core is looked up again after this time, while it still counts. */
const freshMs = 1_000
/** No answer of core counts longer, unless core is away. */
const countsMs = 2_000
/** The public address stays open this long after core said so, for browsers that were sent there a moment ago. */
export const lingerMs = 3_000
/** What was open stays open this long while core is away; what was closed stays closed. */
const awayMs = 2 * 60_000
/** After a failed look-up there is none for this time. */
const pauseMs = 1_000
/** Builds and sessions that are remembered as open, and as closed. */
const mostKnown = 10_000
/** Most builds, and most sessions, in one look-up. */
const mostAsked = 500

/**
 * `open`: the public address is open. `signed`: this session may load it; `public`: others may, too. `closed`: there is
 * nothing for this caller. `busy`: not known now, try again.
 */
export type Verdict = 'open' | 'signed' | 'public' | 'closed' | 'busy'

interface Entry {
  open: boolean
  /** When core was asked, and when it was asked the last time that it said open. */
  at: number
  openAt: number
}

export type OpenFiles = ReturnType<typeof openFiles>

/**
 * Which files may be served. One look-up at a time asks core about all builds and sessions whose files are requested:
 * a build causes at most one look-up a second, for any number of files and players.
 * @param onClosed hears of each build whose public address has closed
 */
export function openFiles(
  { checkFiles }: Pick<CoreClient, 'checkFiles'>,
  { limited, log, now = Date.now }: { limited: Senders; log: Logger; now?: () => number },
  onClosed: (buildId: string) => void = () => undefined,
) {
  const builds = entries(onClosed)
  const sessions = entries()
  const waiting = { builds: new Set<string>(), sessions: new Set<string>() }
  let keys: readonly Uint8Array[] = []
  let keysAt = -Infinity
  let failedAt = -Infinity
  let next: Promise<void> | undefined
  let running: Promise<void> | undefined

  /** One look-up for all requests that wait; those that come while it runs wait for the next one. */
  function lookUp(): Promise<void> {
    next ??= (running ?? Promise.resolve()).then(async () => {
      // requests that arrive in the same turn share it
      await wait(1)
      next = undefined
      running = ask().finally(() => (running = undefined))
      return running
    })
    return next
  }
  /** Look-ups that have not ended, by what they are about. */
  const asking = new Map<string, Promise<void>>()
  function lookUpOf(kind: 'builds' | 'sessions', id: string): Promise<void> {
    const known = asking.get(id)
    if (known) return known
    waiting[kind].add(id)
    const asked = lookUp().finally(() => asking.delete(id))
    asking.set(id, asked)
    return asked
  }

  async function ask(): Promise<void> {
    const at = now()
    const [buildIds, sessionIds] = [take(waiting.builds), take(waiting.sessions)]
    try {
      const answer = await checkFiles(buildIds, sessionIds)
      builds.note(buildIds, answer.openBuilds, at)
      sessions.note(sessionIds, answer.openSigned, at)
      keys = answer.keys
      keysAt = at
      failedAt = -Infinity
    } catch (error) {
      if (failedAt === -Infinity) log.warn({ err: error }, 'core does not say which builds may be served')
      failedAt = now()
    }
  }

  const isAway = (): boolean => now() - failedAt < pauseMs

  /** @param request of a sender whose unknown builds are counted */
  async function isOpen(
    kind: 'builds' | 'sessions',
    id: string,
    request?: IncomingMessage,
  ): Promise<boolean | undefined> {
    const known = kind === 'builds' ? builds : sessions
    const age = () => now() - (known.get(id)?.at ?? -Infinity)
    if (age() > freshMs && !isAway()) {
      const isNew = request !== undefined && known.get(id)?.open !== true
      const asked = asking.get(id) ?? (isNew ? limited(request, () => lookUpOf(kind, id)) : lookUpOf(kind, id))
      if (asked && age() > countsMs) await asked
    }
    const entry = known.get(id)
    if (entry && age() <= countsMs) return entry.open
    // core is away, or there was no room in the look-up
    if (entry && (!entry.open || now() - entry.openAt <= awayMs)) return entry.open
    return undefined
  }

  return {
    async verdictOf({ signed, buildId }: Place, request: IncomingMessage): Promise<Verdict> {
      if (signed === undefined) {
        const open = await isOpen('builds', buildId, request)
        if (open || now() - (builds.get(buildId)?.openAt ?? -Infinity) <= lingerMs) return 'open'
        return open === undefined ? 'busy' : 'closed'
      }
      let path = signedIn(keys, signed, buildId)
      if (!path && now() - keysAt > freshMs && !isAway()) {
        await lookUp()
        path = signedIn(keys, signed, buildId)
      }
      if (!path) return keys.length === 0 ? 'busy' : 'closed'
      if (path.expires <= now() / 1000) return 'closed'
      const runs = await isOpen('sessions', path.id)
      if (!runs) return runs === undefined ? 'busy' : 'closed'
      // never waits: the session may load the file either way
      if ((builds.get(buildId)?.at ?? -Infinity) < now() - freshMs && !isAway()) void lookUpOf('builds', buildId)
      const build = builds.get(buildId)
      return build?.open && now() - build.at <= countsMs ? 'public' : 'signed'
    },

    /** Looks these builds up again. */
    async again(buildIds: readonly string[]): Promise<void> {
      if (!isAway()) await Promise.all(buildIds.map((id) => lookUpOf('builds', id)))
    },
  }
}

function take(from: Set<string>): string[] {
  const taken = [...from].slice(0, mostAsked)
  for (const id of taken) from.delete(id)
  return taken
}

/** Answers of core. Those who ask for many closed ids push out closed ids only. */
function entries(onClosed: (id: string) => void = () => undefined) {
  const open = new Map<string, Entry>()
  const closed = new Map<string, Entry>()

  function keep(on: Map<string, Entry>, id: string, entry: Entry): void {
    on.set(id, entry)
    if (on.size > mostKnown) on.delete(on.keys().next().value!)
  }

  return {
    get: (id: string): Entry | undefined => open.get(id) ?? closed.get(id),
    note(asked: readonly string[], found: readonly string[], at: number): void {
      const isFound = new Set(found)
      for (const id of asked) {
        const before = open.get(id)
        const openAt = isFound.has(id) ? at : (before?.openAt ?? closed.get(id)?.openAt ?? -Infinity)
        open.delete(id)
        closed.delete(id)
        keep(isFound.has(id) ? open : closed, id, { open: isFound.has(id), at, openAt })
        if (before && !isFound.has(id)) onClosed(id)
      }
    },
  }
}
