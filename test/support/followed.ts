import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect } from 'vitest'
import type { Game } from './games.ts'

export interface Seen {
  readonly id: string
  readonly stored: string
}

export const parsed = (json: readonly Uint8Array[]): Seen[] =>
  json.map((one) => JSON.parse(Buffer.from(one).toString()))

/** What a follower of a game, or of all, gets from one core until `stop` and then to the end of `last`. */
export async function follow(reader: Game, core: number, stop: AbortSignal, last: () => string): Promise<Seen[]> {
  const seen: Seen[] = []
  const cut = new AbortController()
  try {
    for await (const { json } of reader.rpc(core).statements.follow({}, { signal: cut.signal })) {
      seen.push(...parsed(json))
      if (stop.aborted && seen.some(({ id }) => id === last())) break
    }
  } finally {
    cut.abort()
  }
  return seen
}

/** The same by pages: `since` the last one, or the link to the next page. What is unavailable is asked for again. */
export async function page(reader: Game, core: number, stop: AbortSignal): Promise<Seen[]> {
  const seen: Seen[] = []
  for (let offset = ''; ;) {
    const ending = stop.aborted
    const since = offset === '' ? (seen.at(-1)?.stored ?? '') : ''
    const asked = reader.rpc(core).statements.queryStatements({ since, offset, ascending: true, limit: 200 })
    const answer = await asked.catch((error: unknown) => {
      if (ConnectError.from(error).code !== Code.Unavailable) throw error
    })
    if (!answer) {
      await sleep(5)
      continue
    }
    seen.push(...parsed(answer.json))
    offset = answer.next
    if (answer.json.length === 0) {
      if (ending) return seen
      await sleep(5)
    }
  }
}

export const idsOf = (seen: readonly Seen[]) => seen.map(({ id }) => id)

/** Each once, in the order of `stored`. */
export function expectInOrder(seen: readonly Seen[]): void {
  expect(new Set(idsOf(seen)).size).toBe(seen.length)
  expect(seen.filter(({ stored }, n) => n > 0 && stored <= seen[n - 1]!.stored)).toEqual([])
}

/** How many of these statements are not among those that were seen. */
export function missedBy(seen: readonly Seen[], of: readonly string[]): number {
  const known = new Set(idsOf(seen))
  return of.filter((id) => !known.has(id)).length
}
