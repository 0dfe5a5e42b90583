import type { Caller } from '../../records/access/caller.ts'
import { slots } from '../concurrency/slots.ts'

export interface StoreStreamsOptions {
  readonly inAll: number
  readonly ofGame: number
  readonly ofLearner: number
}

/**
 * Limits how many streams of statements are open, and ends them when core ends. Learners have slots of their own, so
 * they cannot take those of services.
 */
export function storeStreams({ inAll, ofGame, ofLearner }: StoreStreamsOptions) {
  const refusal = 'Too many streams store statements at the moment; use an open one, or StoreStatements.'
  const ofGames = slots({ inAll, ofOne: ofGame, refusal })
  const ofLearners = slots({ inAll, ofOne: ofLearner, refusal })
  const ending = new AbortController()
  return {
    /** Takes a slot. Returns the function that releases it. @throws Refusal 'unavailable' */
    take: ({ game, learner }: Caller): (() => void) =>
      learner ? ofLearners.take(`${game} ${learner.agent}`) : ofGames.take(game),
    /** Aborted once core ends. */
    ending: ending.signal,
    /** Each stream answers the requests that it has read, and ends. */
    close: () => ending.abort(),
  }
}

export type StoreStreams = ReturnType<typeof storeStreams>
