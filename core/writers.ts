import type { Caller } from './caller.ts'
import { places } from './concurrency/slots.ts'

export interface WritersOptions {
  readonly inAll: number
  readonly ofGame: number
  readonly ofLearner: number
}

/**
 * Streams of statements to store: how many there may be, and that core ends. Learners have places of their own, so they
 * cannot take those of services.
 */
export function writers({ inAll, ofGame, ofLearner }: WritersOptions) {
  const refusal = 'Too many streams store statements at the moment; use an open one, or StoreStatements.'
  const ofGames = places({ inAll, ofOne: ofGame, refusal })
  const ofLearners = places({ inAll, ofOne: ofLearner, refusal })
  const ending = new AbortController()
  return {
    /** Takes a place; returns what gives it back. @throws Refusal 'unavailable' */
    take: ({ game, learner }: Caller): (() => void) =>
      learner ? ofLearners.take(`${game} ${learner.agent}`) : ofGames.take(game),
    /** Aborted once core ends. */
    ending: ending.signal,
    /** Has every stream answer what it has taken, and end. */
    close: () => ending.abort(),
  }
}

export type Writers = ReturnType<typeof writers>
