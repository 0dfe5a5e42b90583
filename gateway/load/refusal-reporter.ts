import type { NoteRefusalRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { Caller } from '../core-connection/caller.ts'

type Send = (report: NoteRefusalRequest, caller: Caller) => Promise<unknown> | undefined

/** Kinds of refusals that are counted at a time. Refusals of further kinds are not reported. */
const maxKinds = 500
const pauseMs = 100

/**
 * Reports refusals to core. The first of a kind is reported at once; equal ones that follow are counted and reported
 * together after a pause. A caller that is refused thousands of times costs core a few calls.
 * @param send returns undefined if core cannot take a report at the moment
 */
export function refusalReporter(send: Send): (refused: NoteRefusalRequest, caller: Caller) => void {
  /** Refusals of each kind since its last report. */
  const unreported = new Map<string, number>()

  function report(kind: string, refused: NoteRefusalRequest, caller: Caller): void {
    const sent = send(refused, caller)
    if (sent === undefined) return void unreported.delete(kind)
    unreported.set(kind, 0)
    const pause = (): void => void setTimeout(reportRest, pauseMs, kind, refused, caller).unref()
    sent.then(pause, pause)
  }

  function reportRest(kind: string, refused: NoteRefusalRequest, caller: Caller): void {
    const times = unreported.get(kind)!
    if (times === 0) unreported.delete(kind)
    else report(kind, { ...refused, times }, caller)
  }

  return (refused, caller) => {
    const { request, status, failure } = refused
    const kind = [caller.authorization, request, status, failure?.reason, failure?.path, failure?.message].join('\n')
    const times = unreported.get(kind)
    if (times !== undefined) unreported.set(kind, times + 1)
    else if (unreported.size < maxKinds) report(kind, refused, caller)
  }
}
