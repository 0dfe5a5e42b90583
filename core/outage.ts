/** Milliseconds between lines while it lasts; without a failure, until it is over. */
const every = 30_000
const calm = 1_000

/** Tells the log when the database goes away, that it still is, and when it is back: not each call and each connection that fails. */
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
    /** It did what it was asked for. */
    answered(): void {
      if (began === undefined || now() - failed < calm) return
      log.warn({ seconds: seconds() }, 'the database answers again')
      began = undefined
    },
  }
}
