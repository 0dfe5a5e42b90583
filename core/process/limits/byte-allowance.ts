import { sentBytes, windowSeconds } from '../../../shared/limits.ts'
import { reasons } from '../../../shared/reasons.ts'
import type { Caller } from '../../records/access/caller.ts'
import { Refusal } from '../refusal.ts'

export interface ByteAllowanceOptions {
  /** Multiplies the limits, as for the request limits. */
  readonly factor: number
  /** Bytes of the largest request, which always fits into an empty window. */
  readonly largest: number
  /** Most open windows. Beyond it the oldest window is dropped, which only ever allows more. */
  readonly windows: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Limits the bytes of attachments and documents that launch tokens send, in the windows of the request limits. Each
 * token has a limit, and all tokens of a game have one together. The first bytes of each token do not count in the
 * common limit, so senders of large data cannot stop the others. The free first bytes are limited per network, so that
 * more sessions gain nothing. Key and secret are not counted. Each process counts by itself.
 */
export function byteAllowance({ factor, largest, windows, now = () => performance.now() }: ByteAllowanceOptions) {
  const [share, ofNetwork] = [sentBytes.share * factor, sentBytes.network * factor]
  const ofSession = Math.max(largest, sentBytes.session * factor)
  const ofGame = Math.max(largest, sentBytes.game * factor)
  // Ordered by start of the window: the first entry ends first.
  const open = new Map<string, { bytes: number; ends: number }>()

  function windowOf(owner: string): { bytes: number; ends: number } {
    const time = now()
    const known = open.get(owner)
    if (known && known.ends > time) return known
    open.delete(owner)
    for (const [key, { ends }] of open) {
      if (ends > time && open.size < windows) break
      open.delete(key)
    }
    const window = { bytes: 0, ends: time + windowSeconds * 1000 }
    open.set(owner, window)
    return window
  }

  return {
    /** Counts bytes of a caller. @throws Refusal 'rate-limited'; then nothing is counted */
    take({ key, learner }: Pick<Caller, 'key' | 'learner'>, bytes: number): void {
      if (!learner) return
      const game = windowOf(key)
      const network = learner.network === undefined ? undefined : windowOf(`${key} ${learner.network}`)
      const session = windowOf(`${key} ${learner.registration} ${learner.agent}`)
      const free = Math.max(0, Math.min(bytes, share - session.bytes, ofNetwork - (network?.bytes ?? 0)))
      const shared = bytes - free
      const fits = session.bytes + bytes <= ofSession && (shared === 0 || game.bytes + shared <= ofGame)
      if (!fits) throw new Refusal('rate-limited', reasons['rate-limited'].error)
      session.bytes += bytes
      game.bytes += shared
      if (network) network.bytes += free
    },
    get size() {
      return open.size
    },
  }
}

export type ByteAllowance = ReturnType<typeof byteAllowance>
