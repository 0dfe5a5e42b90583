import type { NoteRefusalRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { Caller } from '../core-connection/caller.ts'

type Tell = (refused: NoteRefusalRequest, caller: Caller) => Promise<unknown> | undefined

/** Kinds of refusals that are remembered at a time; of what is beyond core is not told. */
const maxKinds = 500
const pauseMs = 100

/**
 * Tells core of refusals: of each at once, but of those that are the same as one that it was just told of together, after a
 * pause, by their number. Whoever is refused thousands of times costs core a few calls.
 * @param tell undefined: not at the moment
 */
export function refusalReporter(tell: Tell): (refused: NoteRefusalRequest, caller: Caller) => void {
  /** How many have come since core was told of one. */
  const since = new Map<string, number>()

  function send(kind: string, refused: NoteRefusalRequest, caller: Caller): void {
    const told = tell(refused, caller)
    if (told === undefined) return void since.delete(kind)
    since.set(kind, 0)
    const pause = (): void => void setTimeout(again, pauseMs, kind, refused, caller).unref()
    told.then(pause, pause)
  }

  function again(kind: string, refused: NoteRefusalRequest, caller: Caller): void {
    const times = since.get(kind)!
    if (times === 0) since.delete(kind)
    else send(kind, { ...refused, times }, caller)
  }

  return (refused, caller) => {
    const { request, status, failure } = refused
    const kind = `${caller.authorization}\n${request}\n${status}\n${failure?.reason}\n${failure?.path}\n${failure?.message}`
    const times = since.get(kind)
    if (times !== undefined) since.set(kind, times + 1)
    else if (since.size < maxKinds) send(kind, refused, caller)
  }
}
