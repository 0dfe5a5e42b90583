/** Ctrl-C reaches a process under npm twice: from the terminal and from npm. */
const sameMs = 500

/** Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, and `atOnce` at a further SIGINT that is not an echo of it. */
export function onSignals(stop: () => void, atOnce: () => void): void {
  let first: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now()
        stop()
      } else if (signal === 'SIGINT' && performance.now() - first > sameMs) {
        atOnce()
      }
    })
  }
}
