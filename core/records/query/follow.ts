import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, readerOf } from '../access/caller.ts'
import { placesAfter, placesAt, smallest, type CellPlaces, type CellReading } from '../rules/cell-places.ts'
import { slots } from '../../process/concurrency/slots.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import { timeParameter } from '../xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { present } from './present.ts'
import type { FollowFilter } from '../../../shared/statement-filters.ts'
import { filterOf, type Presentation } from './statements.ts'

export interface FollowOptions {
  /** Followers at a time: of one game, and of all. */
  readonly ofGame: number
  readonly inAll: number
  /** Milliseconds between looks for what other cores have stored. */
  readonly pollMs: number
  /** Milliseconds after which a follower gets its position again, and its credential is checked again. */
  readonly heartbeatMs: number
  readonly fail: (error: unknown) => void
}

/** Where a follower begins. Without any of these: at the first statement. */
export interface Start {
  /** Microseconds. */
  readonly after?: bigint
  /** ISO 8601. */
  readonly since?: string
  readonly fromNow?: boolean
  /** How a reader of all games reads the cells; its `places` come before all of these. */
  readonly byCell?: CellReading
}

export interface Step {
  /** JSON of each statement, in the order of `stored`. */
  readonly statements: Buffer[]
  /** Microseconds: the follower has every statement stored at or before this time. */
  readonly through: number
  /** The same for each cell; undefined: not asked for. */
  readonly cells?: CellPlaces
}

interface Follower {
  readonly caller: Caller
  wake(): void
}

/** Most JSON bytes in one message; fewer for forms that are larger than JSON. */
const messageBytes = 1024 * 1024
/** Milliseconds to wait after the commit that wakes a follower: one look then serves all commits in this time. */
const gatherMs = 4
/** A position after all others. */
const end = Number.MAX_SAFE_INTEGER

/**
 * Gives followers every statement in the order of `stored`. Commits of this core wake them. For commits of other cores,
 * one query at a time looks for all followers. Each follower holds one page at most, so a slow one delays only itself.
 */
export function followers(
  { statements, reads }: Pick<Store, 'statements' | 'reads'>,
  work: HeavyWork,
  { ofGame, inAll, pollMs, heartbeatMs, fail }: FollowOptions,
) {
  const following = new Set<Follower>()
  const open = slots({ inAll, ofOne: ofGame, refusal: 'Too many follow the store at the moment; try again.' })
  const closing = new AbortController()
  let looking = false
  /** Positions of the last statements, by game, and the last of all. */
  let known = new Map<number, number>()
  let newest = 0

  const wake = (concerns: (caller: Caller) => boolean): void => {
    for (const follower of following) if (concerns(follower.caller)) follower.wake()
  }
  const wakeThoseOf = (games: { has(game: number): boolean }): void =>
    wake((caller) => readerOf(caller).everything || games.has(caller.game))

  /** Looks for commits of other cores while there are followers. */
  async function look(): Promise<void> {
    looking = true
    const endCommits = statements.onCommit(wakeThoseOf)
    while (following.size > 0 && !closing.signal.aborted) {
      try {
        const readers = [...following].map(({ caller }) => readerOf(caller))
        const latest = await statements.latest(
          [...new Set(readers.map(({ game }) => game))],
          readers.some(({ everything }) => everything),
        )
        wakeThoseOf(new Set([...latest].filter(([game, stored]) => known.get(game) !== stored).map(([game]) => game)))
        known = latest
        newest = [...latest.values()].reduce((one, other) => Math.max(one, other), 0)
      } catch (error) {
        fail(error)
      }
      await pause(pollMs)
    }
    endCommits()
    looking = false
  }

  return {
    /** Number of followers. */
    count: (): number => following.size,

    /**
     * Every statement after a position, then new ones, until the signal aborts.
     * @param renew authenticates once more
     * @throws Problem, Refusal; Refusal 'unavailable' when this core ends
     */
    async *follow(
      renew: () => Promise<Caller>,
      filters: FollowFilter,
      start: Start,
      how: Presentation,
      signal: AbortSignal,
    ): AsyncGenerator<Step> {
      let caller = await renew()
      const { byCell } = start
      let after = byCell?.places ? smallest(byCell.places) : startOf(start)
      let places = byCell && (byCell.places ?? placesAt(after ?? 0))
      const page = { ascending: true, limit: 500, bytes: Math.min(messageBytes, how.bytes) }
      const release = open.take(caller.game)
      let news = Promise.withResolvers<void>()
      const follower = {
        get caller() {
          return caller
        },
        wake: () => news.resolve(),
      }
      const stop = (): void => follower.wake()
      for (const one of [signal, closing.signal]) one.addEventListener('abort', stop)
      following.add(follower)
      if (!looking) void look()
      let isBehind = false
      let told = -Infinity
      let renewed = performance.now()
      try {
        for (;;) {
          if (signal.aborted) return
          if (closing.signal.aborted) throw new Refusal('unavailable', 'This core ends; follow on from where you are.')
          if (performance.now() - renewed >= heartbeatMs) {
            caller = await renew()
            renewed = performance.now()
          }
          news = Promise.withResolvers()
          const reading = byCell && { ...byCell, places, withoutAway: byCell.withoutAway && after !== end }
          const range = { ...page, after, byCell: reading }
          const reader = readerOf(caller)
          const from: typeof reads = isBehind ? statements : reads
          const found = await from.page(reader, filterOf(caller, filters), range, false)
          if (found === 'stale') {
            caller = await renew()
            continue
          }
          const last = found.more ? found.statements.at(-1)!.stored : undefined
          const before = after === end ? 0 : (after ?? 0)
          if (places && found.cells) places = placesAfter(after === end ? placesAt(0) : places, found.cells, last)
          const through = places ? smallest(places) : (last ?? Math.max(found.consistentThrough, before))
          if (found.statements.length > 0 || performance.now() - told >= heartbeatMs) {
            yield { statements: await present(work, caller.game, found.statements, how), through, cells: places }
            told = performance.now()
          }
          after = through
          if (found.more) continue
          // a standby may not have what woke this follower: then the primary is read
          isBehind = !isBehind && through < (reader.everything ? newest : (known.get(reader.game) ?? 0))
          await orAfter(isBehind ? pollMs : heartbeatMs, news.promise)
          await pause(gatherMs)
        }
      } finally {
        following.delete(follower)
        release()
        for (const one of [signal, closing.signal]) one.removeEventListener('abort', stop)
      }
    },

    /** Ends all followers. */
    close: (): void => closing.abort(),
  }
}

export type Followers = ReturnType<typeof followers>

function startOf({ after, since, fromNow }: Start): number | undefined {
  if (fromNow) return end
  if (since) return timeParameter(since, 'since')
  if (after === undefined) return undefined
  if (after >= BigInt(end)) throw new Problem('after', 'must be microseconds since 1970')
  return Number(after)
}

async function orAfter(milliseconds: number, news: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([news, promise])
  clearTimeout(timer)
}
