/** Milliseconds between log lines of an outage, and without a failure until it counts as over. */
const every = 30_000
const calm = 1_000

export interface Outage {
  /** Answers are of interest. A field, because each query reads it. */
  readonly on: boolean
  /** The database did not answer, or broke a connection. */
  failed(what: string): void
  /** The database answered. */
  answered(): void
}

/** Logs when the database goes away, stays away and is back, instead of a line for each failure. */
export function outage(
  log: { warn(more: object, text: string): void },
  now: () => number = () => performance.now(),
): Outage {
  let began = 0
  let failed = 0
  let told = 0
  const seconds = () => Math.round((failed - began) / 1000)

  const one = {
    on: false,
    failed(what: string): void {
      failed = now()
      if (one.on && failed - told < every) return
      told = failed
      if (!one.on) {
        one.on = true
        began = failed
        log.warn({ what }, 'the database cannot be reached or is busy')
      } else log.warn({ what, seconds: seconds() }, 'the database still cannot be reached or is busy')
    },
    answered(): void {
      if (!one.on || now() - failed < calm) return
      log.warn({ seconds: seconds() }, 'the database answers again')
      one.on = false
    },
  }
  return one
}

/** The same for each of several servers, by its name. */
export function outages(log: { warn(more: object, text: string): void }): (server: string) => Outage {
  const known = new Map<string, Outage>()
  return (server) => {
    const one = known.get(server) ?? outage({ warn: (more, text) => log.warn({ ...more, server }, text) })
    known.set(server, one)
    return one
  }
}
