/** Milliseconds between log lines of an outage, and without a failure until it counts as over. */
const every = 30_000
const calm = 1_000

/** Logs when the database goes away, stays away and is back, instead of a line for each failure. */
export function outage(log: { warn(more: object, text: string): void }, now: () => number = () => performance.now()) {
  let began: number | undefined
  let failed = 0
  let told = 0
  const seconds = () => Math.round((failed - began!) / 1000)

  return {
    /** The database did not answer, or broke a connection. */
    failed(what: string): void {
      failed = now()
      if (began !== undefined && failed - told < every) return
      told = failed
      if (began === undefined) {
        began = failed
        log.warn({ what }, 'the database cannot be reached or is busy')
      } else log.warn({ what, seconds: seconds() }, 'the database still cannot be reached or is busy')
    },
    /** The database answered. */
    answered(): void {
      if (began === undefined || now() - failed < calm) return
      log.warn({ seconds: seconds() }, 'the database answers again')
      began = undefined
    },
  }
}

/** The same for several servers by name; an empty text says that the server has answered. */
export function outages(log: { warn(more: object, text: string): void }): (server: string, what: string) => void {
  const known = new Map<string, ReturnType<typeof outage>>()
  return (server, what) => {
    const one = known.get(server) ?? outage({ warn: (more, text) => log.warn({ ...more, server }, text) })
    known.set(server, one)
    if (what === '') one.answered()
    else one.failed(what)
  }
}
