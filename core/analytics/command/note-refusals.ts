import { hash } from 'node:crypto'
import { concernsAll, type RefusedRequest } from '../../process/refusal.ts'
import { otherKind, type RefusalStore, type RefusalTally } from '../store/cell/refusals.ts'
import { excerpt } from '../../process/rules/text.ts'

export interface NoteRefusalsOptions {
  /** Most kinds of refusals that wait to be written: of one game, and of all games. Further ones are only counted. */
  readonly kindsOfGame: number
  readonly kinds: number
  readonly everyMs: number
  readonly now?: () => number
  readonly fail: (error: unknown) => void
}

const dayMs = 24 * 60 * 60 * 1000
const other: RefusedRequest = { request: '', status: 0, reason: 'OTHER', path: '', message: '' }
/** After this number of failures of one write, failing parts are dropped whole; one bad kind among 10,000 makes 15. */
const mostFailures = 50

interface Waiting {
  readonly game: number
  readonly day: number
  readonly build: number
  readonly refusal: RefusedRequest
  message: string
  count: number
  last: number
}

/**
 * Counts refused requests by game, day, reason, status, request and path. It counts in memory, with bounds, and writes
 * to the database every few seconds. A killed process loses the counts of its last seconds.
 */
export function noteRefusals(store: Pick<RefusalStore, 'add'>, options: NoteRefusalsOptions) {
  const { kindsOfGame, kinds, now = Date.now } = options
  let games = new Map<number, Map<string, Waiting>>()
  let size = 0
  let writing: Promise<void> | undefined

  function add(game: number, day: number, build: number, refusal: RefusedRequest, count: number, last: number): void {
    let own = games.get(game)
    if (!own) {
      // beyond twice the bound refusals of further games are not counted
      if (size >= kinds * 2) return
      games.set(game, (own = new Map()))
    }
    const key = `${day} ${build} ${refusal.status} ${refusal.reason} ${refusal.request} ${refusal.path}`
    const waiting = own.get(key)
    if (waiting) {
      waiting.count += count
      waiting.message = refusal.message
      waiting.last = Math.max(waiting.last, last)
    } else if (refusal !== other && (own.size >= kindsOfGame || size >= kinds)) {
      add(game, day, 0, other, count, last)
    } else {
      own.set(key, { game, day, build, refusal, message: refusal.message, count, last })
      size++
    }
  }

  async function write(): Promise<void> {
    const taken = games
    games = new Map()
    size = 0
    const waiting = [...taken.values()].flatMap((own) => [...own.values()])
    if (waiting.length > 0) await put(waiting)
  }

  /** Halves a failing write until the bad kinds are found, and drops these, so that the others are counted. */
  async function put(all: readonly Waiting[]): Promise<void> {
    let failures = 0
    let dropped = 0
    let reason: unknown
    for (const parts = [all]; parts.length > 0;) {
      const part = parts.shift()!
      try {
        await store.add(part.map(tallyOf))
      } catch (error) {
        if (concernsAll(error)) {
          for (const one of [part, ...parts].flat()) again(one)
          options.fail(error)
          break
        }
        const half = Math.ceil(part.length / 2)
        if (++failures < mostFailures && half < part.length) {
          parts.unshift(part.slice(0, half), part.slice(half))
        } else {
          dropped += part.length
          reason = error
        }
      }
    }
    if (dropped > 0) {
      const text = `${dropped} kinds of refused requests are not counted: the database refused them`
      options.fail(new Error(text, { cause: reason }))
    }
  }

  const again = ({ game, day, build, refusal, message, count, last }: Waiting): void =>
    add(game, day, build, refusal === other ? other : { ...refusal, message }, count, last)

  async function flush(): Promise<void> {
    while (writing) await writing
    writing = write().finally(() => (writing = undefined))
    await writing
  }

  const timer = setInterval(() => void flush(), options.everyMs).unref()
  return {
    note(
      { game, build = 0 }: { readonly game: number; readonly build?: number },
      { request, status, reason, path, message }: RefusedRequest,
      times = 1,
    ): void {
      const last = now()
      const place = excerpt(path.replaceAll(/\[\d+\]/g, '[]'), 200)
      add(
        game,
        Math.floor(last / dayMs),
        build,
        { request: excerpt(request, 100), status, reason, path: place, message: excerpt(message, 500) },
        times,
        last,
      )
    },
    /** Writes what is counted; a failure is told to `fail`, and the counts stay for the next time. */
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}

export type NoteRefusals = ReturnType<typeof noteRefusals>

function tallyOf({ game, day, build, refusal, message, count, last }: Waiting): RefusalTally {
  const { reason, status, request, path } = refusal
  const named = `${reason}\0${status}\0${request}\0${path}${build === 0 ? '' : `\0${build}`}`
  const kind = refusal === other ? otherKind : hash('sha256', named, 'hex').slice(0, 32)
  return {
    game,
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    kind,
    reason,
    status,
    request,
    path,
    message,
    build,
    count,
    last,
  }
}
