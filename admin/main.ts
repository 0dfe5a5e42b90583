import { run } from './run.ts'

// whoever reads may have seen enough: `… | head`
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

const ending = new AbortController()
/** What is under way gets this long to leave things in order. */
const patienceMs = 3000
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
  process.on(signal, () => {
    // Ctrl-C comes from the terminal and, under npm, from npm again
    if (ending.signal.aborted) return
    ending.abort(code)
    setTimeout(() => process.exit(code), patienceMs).unref()
  })
}

const code = await run(process.argv.slice(2), process.env, ending.signal)
process.exitCode = ending.signal.aborted ? ending.signal.reason : code
