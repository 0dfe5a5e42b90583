import type { Caller } from './caller.ts'
import { sentBytes, windowSeconds } from './limits.ts'
import { Refusal } from './refusal.ts'

export interface ByteAllowanceOptions {
  /** Multiplies the figures, as those of the request limits. */
  readonly factor: number
  /** Bytes of the largest request, which always fits into an empty window. */
  readonly largest: number
  /** Windows that may be open at once; beyond that the oldest is forgotten, which only ever allows more. */
  readonly windows: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/**
 * What learners send of attachments and documents, in bytes and in the windows of the request limits. Each launch token
 * has a bound of its own. All of a game have one together, in which the first bytes of each do not count: so nobody who
 * sends much can stop those who send little. These first bytes are bounded for a network, so that many sessions win
 * nothing. Key and secret are not counted. Counted in this process.
 */
export function byteAllowance({ factor, largest, windows, now = () => performance.now() }: ByteAllowanceOptions) {
  const [share, ofNetwork] = [sentBytes.share * factor, sentBytes.network * factor]
  const ofSession = Math.max(largest, sentBytes.session * factor)
  const ofGame = Math.max(largest, sentBytes.game * factor)
  // In the order in which windows started, so the first ones are the first to end.
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
    /** Counts what a caller sends. @throws Refusal 'rate-limited', and then nothing is counted */
    take({ key, learner }: Pick<Caller, 'key' | 'learner'>, bytes: number): void {
      if (!learner) return
      const game = windowOf(key)
      const network = learner.network === undefined ? undefined : windowOf(`${key} ${learner.network}`)
      const session = windowOf(`${key} ${learner.registration} ${learner.agent}`)
      const free = Math.max(0, Math.min(bytes, share - session.bytes, ofNetwork - (network?.bytes ?? 0)))
      const shared = bytes - free
      const fits = session.bytes + bytes <= ofSession && (shared === 0 || game.bytes + shared <= ofGame)
      if (!fits) throw new Refusal('rate-limited', 'Rate limit exceeded')
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
