import { createHmac, hkdfSync } from 'node:crypto'
import type { Key } from '../../records/xapi/identify.ts'

/** The keyed hashes of a learner in a game: that of the first key is written, all are looked for. */
export type FormerKeys = (game: number, learner: Key) => readonly Key[]

/**
 * How learners are known again of whom statements have expired. Without a key of the service nobody can tell whose hash
 * it is, or that two games know the same learner.
 * @param secretKeys of LRS_SECRET_KEYS; none: nobody is known again
 */
export function formerKeys(secretKeys: readonly Uint8Array[]): FormerKeys {
  const keys = secretKeys.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'games-lrs former learner', 32)))
  return (game, learner) =>
    keys.map((key) =>
      createHmac('sha256', key)
        .update(`${game} ${learner.replaceAll('-', '')}`)
        .digest('hex')
        .slice(0, 32),
    )
}
