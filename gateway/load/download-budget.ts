import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../http/failure.ts'

/** One client on its way through an answer. */
export interface Download {
  /** A piece is given to it. */
  pieceSent(): void
  /** It has taken it. */
  pieceTaken(): void
  /** It has all, or has gone. */
  done(): void
}

export interface DownloadBudget {
  /** How much is taken up. */
  readonly held: number
  /** One begins, who takes up `weight` until it is done. `end` ends it early. Throws a Refusal: 503 when there is no room. */
  begin(weight: number, end: () => void): Download
}

export interface DownloadBudgetOptions {
  /** Weight of all together. */
  readonly max: number
  readonly now?: () => number
}

/** Bytes of a piece of an answer. */
export const pieceBytes = 128 * 1024
/** Milliseconds that a piece may take: before its download gives way to others who need the room (256 KB/s), and at all (13 KB/s). */
const slowMs = 500
const tooSlowMs = 10_000
const everyMs = 1000

interface Entry {
  readonly weight: number
  readonly end: () => void
  /** When the piece was given that it has not taken yet. */
  since?: number
}

/** Bounds what clients keep taken up by reading: those who read slowly give way to others. */
export function createDownloadBudget({ max, now = () => performance.now() }: DownloadBudgetOptions): DownloadBudget {
  const all = new Set<Entry>()
  let held = 0
  let timer: NodeJS.Timeout | undefined

  /** For how long it has taken nothing. */
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
      // one that is alone has room, whatever it needs
      if (held + weight > max && held > 0) throw refusal(Reason.UNAVAILABLE, 'Too many answers are being read at the moment; try again')
      const entry: Entry = { weight, end: onEnd }
      all.add(entry)
      held += weight
      timer ??= setInterval(endTooSlow, everyMs).unref()
      return {
        pieceSent: () => void (entry.since = now()),
        pieceTaken: () => void (entry.since = undefined),
        done: () => leave(entry),
      }
    },
  }
}
