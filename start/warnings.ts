const newline = 10
const longestLine = 64 * 1024
const markers = ['"level":40', '"level":50', '"level":60'].map((text) => Buffer.from(text))
const burst = 20
const burstMs = 10_000

/**
 * Reads the log of a process (pino's JSON lines, in chunks) and passes its warnings and errors on as text for people.
 * Of more than 20 in 10 s, the rest is only in the log.
 */
export function warningReader(onWarning: (text: string) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let began = -Infinity
  let told = 0
  const tell = (text: string): void => {
    if (performance.now() - began > burstMs) {
      began = performance.now()
      told = 0
    }
    told++
    if (told <= burst) onWarning(text)
    if (told === burst) onWarning('… and more in its log')
  }
  return (bytes) => {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    const end = all.lastIndexOf(newline) + 1
    rest = all.length - end > longestLine ? Buffer.alloc(0) : all.subarray(end)
    // every request may log a line, so only chunks with a warning are parsed
    if (!markers.some((marker) => all.includes(marker))) return
    for (const line of all.toString('utf8', 0, end).split('\n')) {
      const text = warningIn(line)
      if (text !== undefined) tell(text)
    }
  }
}

interface Warning {
  msg?: string
  err?: { message?: string }
  requestId?: string
  method?: string
  path?: string
  status?: number
  ms?: number
  what?: string
  seconds?: number
}

/** Such as `warning: failed (GET /xapi/statements, 503, after 12 ms, request abc)`; undefined for lower levels. */
function warningIn(line: string): string | undefined {
  const level = /^\{"level":([456])0[,}]/.exec(line)?.[1]
  if (level === undefined) return undefined
  try {
    const { msg = '', err, requestId, method, path, status, ms, what, seconds } = JSON.parse(line) as Warning
    const word = level === '4' ? 'warning' : 'error'
    const cause = err?.message !== undefined && err.message !== msg ? `: ${err.message}` : ''
    const request =
      method === undefined || path === undefined
        ? []
        : [`${method} ${path}`, status, ms && `after ${Math.round(ms)} ms`]
    const said = [...request, what, seconds && `after ${seconds} s`, requestId && `request ${requestId}`].filter(
      (part) => part !== undefined && part !== 0,
    )
    return printable(`${word}: ${msg}${cause}${said.length === 0 ? '' : ` (${said.join(', ')})`}`)
  } catch {
    return undefined
  }
}

/** Texts from outside may hold control characters that a terminal would obey. */
function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 500)
}
