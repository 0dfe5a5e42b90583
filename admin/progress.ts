import { number } from './show.ts'

/** How far long work is, on stderr: a bar, or with `lines` a line for each tenth where that is no terminal. */
export interface Progress {
  /** @param total undefined: not known */
  show(count: number, total?: number): void
  /** Takes the line away. */
  end(): void
}

const everyMs = 100
const width = 24

/** @param amount how a count is written @param lines the total from which work has lines where there is no bar */
export function progress(what: string, amount: (count: number) => string = number, lines: number = Infinity): Progress {
  const stream = process.stderr
  if (!stream.isTTY || process.env['TERM'] === 'dumb') return { show: inLines(what, amount, lines), end: () => {} }
  const began = performance.now()
  let last = 0
  return {
    show(count, total) {
      const now = performance.now()
      if (now - last < everyMs) return
      last = now
      const seconds = (now - began) / 1000
      stream.write(`\r\x1b[K${lineOf(what, count, total, seconds, amount).slice(0, (stream.columns || 80) - 1)}`)
    },
    end: () => void (last > 0 && stream.write('\r\x1b[K')),
  }
}

/** Lines such as `Uploading: 30% of 200 MB`. */
function inLines(what: string, amount: (count: number) => string, least: number): Progress['show'] {
  let last = 0
  return (count, total = 0) => {
    const tenth = Math.floor((10 * count) / total)
    if (total < least || !(tenth > last)) return
    last = tenth
    process.stderr.write(`${what}: ${10 * tenth}% of ${amount(total)}\n`)
  }
}

/** As `Importing  [######------------------]  25%  25,000 of 100,000  8,120/s  9 s left`. */
export function lineOf(
  what: string,
  count: number,
  total: number | undefined,
  seconds: number,
  amount: (count: number) => string = number,
): string {
  const rate = seconds > 0 ? count / seconds : 0
  const speed = `${amount(Math.round(rate))}/s`
  if (!total) return `${what}  ${amount(count)}  ${speed}`
  const part = Math.min(1, count / total)
  const full = Math.floor(part * width)
  const left = rate > 0 ? `  ${number(Math.ceil(Math.max(0, total - count) / rate))} s left` : ''
  return `${what}  [${'#'.repeat(full)}${'-'.repeat(width - full)}]  ${Math.floor(part * 100)}%  ${amount(count)} of ${amount(total)}  ${speed}${left}`
}
