import { pino, type Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'

export type LogFormat = Settings<'core'>['logFormat']

const levels: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warning', 50: 'error', 60: 'error' }

/** The log of a process on stdout: JSON lines, or lines for people. */
export function makeLog(name: string, level: string, format: LogFormat = 'json'): Logger {
  const options = { level, base: { process: name } }
  if (format === 'json') return pino(options)
  return pino(options, { write: (line: string) => void process.stdout.write(readable(line)) })
}

/** `12:04:05.123 gateway warning connection to core lost  core=127.0.0.1:8083`, the stack of an error below. */
export function readable(line: string): string {
  const {
    time,
    level,
    process: name,
    msg,
    err,
    ...more
  } = JSON.parse(line) as {
    time: number
    level: number
    process: string
    msg?: string
    err?: { stack?: string; message?: string }
  }
  const rest = Object.entries(more)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  const stack =
    err === undefined
      ? ''
      : `\n  ${(err.stack ?? err.message ?? '')
          .split('\n')
          .map((part) => printable(part))
          .join('\n  ')}`
  const said = printable(`${msg ?? ''}${rest === '' ? '' : `  ${rest}`}`)
  return `${new Date(time).toISOString().slice(11, 23)} ${name} ${levels[level] ?? level} ${said}${stack}\n`
}

/** Texts from outside may hold control characters that a terminal would obey. */
const printable = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
