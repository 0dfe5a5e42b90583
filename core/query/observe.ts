import { Refusal } from '../refusal.ts'
import type { EventCounts, NumberedEvent } from '../store/sandbox-events.ts'
import type { LaunchSession } from '../store/launches.ts'
import type { Store } from '../store/store.ts'
import type { Developer } from '../store/studio-sessions.ts'

export interface ObserveOptions {
  /** Most observers: of one session, of one studio, in all; accounts of the last day share half of the total. */
  readonly ofSession: number
  readonly ofStudio: number
  readonly inAll: number
  /** How often one looks although nothing was told. */
  readonly pollMs: number
  readonly now?: () => number
}

const page = 100

export interface Seen {
  readonly events: NumberedEvent[]
  /** At first: what all events come to, also those that are not shown. */
  readonly kept?: EventCounts
}
/** Seconds after the session's end: a game that goes on with its token is seen to be refused. */
const grace = 5 * 60

/** A studio, and whether its account was made in the last day. */
type Watcher = Pick<Developer, 'studioId' | 'isNew'>

interface Place extends Watcher {
  readonly session: string
  /** A studio without a place has got this one. */
  readonly end: AbortController
}

const full = (): Refusal =>
  new Refusal('unavailable', 'Too many sandbox sessions are being watched at the moment; try again.')

/** Lets studios watch their sandbox sessions. */
export function observers({ sandboxEvents, sandboxNotices }: Pick<Store, 'sandboxEvents' | 'sandboxNotices'>, { ofSession, ofStudio, inAll, pollMs, now = Date.now }: ObserveOptions) {
  const places = new Set<Place>()
  const closing = new AbortController()

  /** @throws Refusal */
  function takePlace(session: string, { studioId, isNew }: Watcher): Place {
    const all = [...places]
    const own = all.filter((place) => place.studioId === studioId).length
    if (own >= ofStudio || all.filter((place) => place.session === session).length >= ofSession) throw full()
    const ofNew = all.filter((place) => place.isNew)
    if (isNew && ofNew.length >= inAll / 2) makeRoom(ofNew, own)
    else if (all.length >= inAll) makeRoom(all, own)
    const place = { session, studioId, isNew, end: new AbortController() }
    places.add(place)
    return place
  }

  /** The studio with the most places gives its oldest to a studio without one. @throws Refusal */
  function makeRoom(taken: readonly Place[], own: number): void {
    const [most = []] = Map.groupBy(taken, ({ studioId }) => studioId).values().toArray().toSorted((a, b) => b.length - a.length)
    if (own > 0 || most.length < 2) throw full()
    places.delete(most[0]!)
    most[0]!.end.abort()
  }

  async function* follow(
    session: LaunchSession, watcher: Watcher, after: number, signal: AbortSignal,
  ): AsyncGenerator<Seen> {
    const { sessionId: id } = session
    const place = takePlace(id, watcher)
    const ending = [signal, closing.signal, place.end.signal]
    const isOver = (): boolean => ending.some(({ aborted }) => aborted)
    let wake = (): void => {}
    let news = true
    const end = sandboxNotices.on(id, () => {
      news = true
      wake()
    })
    const stop = (): void => wake()
    for (const one of ending) one.addEventListener('abort', stop)
    try {
      const first = await sandboxEvents.latest(id, after)
      after = first.events.at(-1)?.number ?? after
      yield first
      while (!isOver() && now() / 1000 < session.expires + grace) {
        news = false
        const events = await sandboxEvents.after(id, after, page)
        if (events.length > 0) {
          after = events.at(-1)!.number
          yield { events }
        }
        if (events.length === page || news) continue
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          if (news || isOver()) wake()
        })
      }
      if (place.end.signal.aborted) throw full()
    } finally {
      end()
      for (const one of ending) one.removeEventListener('abort', stop)
      places.delete(place)
    }
  }

  return {
    /** The latest events after this number, then those that come, until the session is over or the signal says so. */
    follow,
    /** The latest events after this number. */
    existing: ({ sessionId }: LaunchSession, after: number): Promise<Seen> => sandboxEvents.latest(sessionId, after),
    /** How many there are. */
    count: (): number => places.size,
    /** Ends all observers. */
    close: (): void => closing.abort(),
  }
}

export type Observers = ReturnType<typeof observers>
