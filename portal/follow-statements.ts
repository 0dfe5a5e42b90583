import type { Response } from 'express'
import type { Logger } from 'pino'
import type { QueryStatementsResponse } from '../gen/lrs/v1/statements_pb.js'
import { eventStream } from './event-stream.ts'
import type { SignedIn } from './visit.ts'

export interface Following {
  /** ISO 8601: statements stored after this. */
  readonly since: string
  readonly read: (since: string) => Promise<Pick<QueryStatementsResponse, 'json' | 'next'>>
  /** HTML of one statement. */
  readonly show: (json: string) => string
  /** Whether the visitor may still look; asked from time to time. */
  readonly isAllowed: () => Promise<boolean>
}

export interface FollowOptions {
  /** Viewers of this process, and of one studio in all its sessions, at a time. */
  readonly viewers: number
  readonly viewersOfStudio: number
  /** Milliseconds between looks, between checks of the session. */
  readonly everyMs: number
  readonly checkMs: number
}

const usual: FollowOptions = { viewers: 200, viewersOfStudio: 10, everyMs: 1_000, checkMs: 60_000 }

/** Sends statements as they arrive, as server-sent events: each has its HTML, and its place as the id from which to go on. */
export function followers(log: Logger, options: FollowOptions = usual) {
  /** By studio, the oldest first. */
  const viewers = new Map<string, Response[]>()

  function enter(studio: string, response: Response): boolean {
    const own = viewers.get(studio) ?? []
    if (own.length >= options.viewersOfStudio) return false
    const open = viewers.values().reduce((sum, { length }) => sum + length, 0)
    if (open >= options.viewers && !(own.length === 0 && makeRoom())) return false
    viewers.set(studio, [...own, response])
    return true
  }

  /** The studio with the most places gives its oldest to a studio without one. */
  function makeRoom(): boolean {
    const [studio, most] = [...viewers].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
    if (studio === undefined || most === undefined || most.length < 2) return false
    leave(studio, most[0]!)
    most[0]!.end()
    return true
  }

  function leave(studio: string, response: Response): void {
    const others = (viewers.get(studio) ?? []).filter((one) => one !== response)
    if (others.length === 0) viewers.delete(studio)
    else viewers.set(studio, others)
  }

  /** Answers the visit; statements follow until the visitor leaves. */
  return function follow(
    { account, response, request }: SignedIn,
    { since: start, read, show, isAllowed }: Following,
  ): void {
    const { studioId } = account.studio
    if (!enter(studioId, response)) {
      // 204 tells an EventSource not to come again
      response.status(204).end()
      return
    }
    let since = start
    let checked = Date.now()
    let timer: NodeJS.Timeout | undefined
    response.once('close', () => {
      clearTimeout(timer)
      leave(studioId, response)
    })
    const send = eventStream(response)

    async function look(): Promise<void> {
      const now = Date.now()
      if (now - checked > options.checkMs) {
        checked = now
        if (!(await isAllowed())) return void response.end()
      }
      const { json, next } = await read(since)
      if (response.writableEnded || response.destroyed) return
      for (const bytes of json) {
        const statement = Buffer.from(bytes).toString('utf8')
        since = (JSON.parse(statement) as { stored: string }).stored
        send(since, show(statement))
      }
      // a viewer that does not read, or left meanwhile
      if (response.destroyed || response.writableLength > 4 * 1024 * 1024) return void response.destroy()
      timer = setTimeout(run, next === '' ? options.everyMs : 0)
    }
    const run = (): void => {
      look().catch((error) => {
        log.warn({ err: error, path: request.path }, 'statements could not be followed')
        response.end()
      })
    }
    run()
  }
}
