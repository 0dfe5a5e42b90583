import { run, type ProgramOf } from './run.ts'

/** The process of a command line. */
export async function start(programOf: ProgramOf): Promise<void> {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // the reader may end first: `… | head`
    if (code === 'EPIPE') process.exit(0)
    process.stderr.write(`The output cannot be written: ${code === 'ENOSPC' ? 'the disk is full' : message}.\n`)
    process.exit(1)
  })
  // work goes on where nobody listens to its notes
  process.stderr.on('error', () => {})

  const ending = new AbortController()
  /** What is under way gets this long to leave things in order. */
  const patienceMs = 3000
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      // Ctrl-C comes from the terminal and, under npm, from npm again
      if (ending.signal.aborted) return
      ending.abort(code)
      setTimeout(() => process.exit(code), patienceMs).unref()
    })
  }

  const code = await run(process.argv.slice(2), process.env, ending.signal, programOf)
  process.exitCode = ending.signal.aborted ? ending.signal.reason : code
}
