import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../http/failure.ts'

/** One client that reads one answer. */
export interface Download {
  /** A piece was handed to the connection. */
  pieceSent(): void
  /** The client has taken that piece. */
  pieceTaken(): void
  /** The client has everything, or has disconnected. */
  done(): void
}

export interface DownloadBudget {
  /** Weight of the downloads under way. */
  readonly held: number
  /** Starts a download of this weight; `end` ends it early. Throws an HttpRefusal: 503 if there is no room. */
  begin(weight: number, end: () => void): Download
}

export interface DownloadBudgetOptions {
  /** Total weight of all downloads. */
  readonly max: number
  readonly now?: () => number
}

/** Bytes of one piece of an answer. */
export const pieceBytes = 128 * 1024
/** A download that takes longer for one piece is ended when others need its room (below 256 KB/s). */
const slowMs = 500
/** One that takes longer than this is ended in any case (below 13 KB/s). */
const tooSlowMs = 10_000
const checkEveryMs = 1000

interface Entry {
  readonly weight: number
  readonly end: () => void
  /** When the piece was sent that the client has not received in full. */
  since?: number
}

/** Limits the memory of answers that clients are reading. When it is full, the slowest clients are disconnected. */
export function createDownloadBudget({ max, now = () => performance.now() }: DownloadBudgetOptions): DownloadBudget {
  const all = new Set<Entry>()
  let held = 0
  let timer: NodeJS.Timeout | undefined

  /** Milliseconds since the client received something. */
  const idle = ({ since = now() }: Entry): number => now() - since

  function leave(entry: Entry): void {
    if (!all.delete(entry)) return
    held -= entry.weight
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function end(entry: Entry): void {
    leave(entry)
    entry.end()
  }

  function endTooSlow(): void {
    for (const entry of all) if (idle(entry) > tooSlowMs) end(entry)
  }

  function makeRoom(weight: number): void {
    const slow = [...all].filter((entry) => entry.weight > 0 && idle(entry) > slowMs).sort((a, b) => idle(b) - idle(a))
    for (const entry of slow) {
      if (held + weight <= max) return
      end(entry)
    }
  }

  return {
    get held() {
      return held
    },
    begin(weight, onEnd) {
      if (held + weight > max) makeRoom(weight)
      // a single download always has room, whatever its weight
      if (held + weight > max && held > 0)
        throw refusal(Reason.UNAVAILABLE, 'Too many downloads at the moment; try again')
      const entry: Entry = { weight, end: onEnd }
      all.add(entry)
      held += weight
      timer ??= setInterval(endTooSlow, checkEveryMs).unref()
      return {
        pieceSent: () => void (entry.since = now()),
        pieceTaken: () => void (entry.since = undefined),
        done: () => leave(entry),
      }
    },
  }
}
