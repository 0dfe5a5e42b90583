import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { lingerMs } from './open-files.ts'

/** Builds that an edge may have, at most. */
const mostKept = 10_000
/** Builds that are looked up again in a second, and that one call purges. */
const mostLooked = 500
const mostPurged = 30
const everyMs = 1_000

/** What an edge purges by: `Cache-Tag` of Cloudflare and others, `Surrogate-Key` of Fastly and Varnish. */
export const tagOf = (buildId: string): string => `build-${buildId}`

/**
 * Purges builds whose public address has closed from the edge: a CDN or shared cache in front of the player. While the
 * edge may have files of a build, core is asked about it once a second. A call that fails is made again.
 */
export function edge({ edgeSeconds, edgePurgeUrl, edgePurgeToken }: Config, log: Logger, now: () => number = Date.now) {
  /** When a file of the build was last given to all. */
  const given = new Map<string, number>()
  /** When the public address of the build closed. */
  const closed = new Map<string, number>()
  let turn = 0

  async function purge(): Promise<void> {
    // not before the player itself has closed it: the edge would ask for the file again
    const due = [...closed].filter(([, at]) => at <= now() - lingerMs)
    const builds = due.slice(0, mostPurged).map(([build]) => build)
    if (builds.length === 0) return
    const answer = await fetch(edgePurgeUrl!, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(edgePurgeToken && { Authorization: `Bearer ${edgePurgeToken}` }),
      },
      body: JSON.stringify({ tags: builds.map(tagOf) }),
      signal: AbortSignal.timeout(5_000),
      redirect: 'error',
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`the edge answered ${answer.status}`)
    for (const build of builds) closed.delete(build)
    log.info({ builds }, 'files were purged from the edge')
  }

  return {
    gave(buildId: string): void {
      if (edgePurgeUrl === undefined) return
      given.delete(buildId)
      given.set(buildId, now())
      if (given.size > mostKept) given.delete(given.keys().next().value!)
    },
    closed(buildId: string): void {
      if (edgePurgeUrl !== undefined) closed.set(buildId, now())
    },
    /** @returns stops it */
    watch(lookUp: (buildIds: readonly string[]) => Promise<void>): () => void {
      if (edgePurgeUrl === undefined) return () => undefined
      let isBusy = false
      const timer = setInterval(() => {
        if (isBusy) return
        isBusy = true
        for (const [build, at] of given) if (at < now() - edgeSeconds * 1000) given.delete(build)
        const all = [...given.keys()]
        turn = turn >= all.length ? 0 : turn
        const looked = all.slice(turn, (turn += mostLooked))
        void lookUp(looked)
          .then(purge)
          .catch((error: unknown) => log.warn({ err: error }, 'files could not be purged from the edge'))
          .finally(() => (isBusy = false))
      }, everyMs)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}
