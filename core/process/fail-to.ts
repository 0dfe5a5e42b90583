import type { Logger } from 'pino'
import { isAway } from './refusal.ts'

/** Logs what is tried again. */
export const failTo =
  (log: Logger) =>
  (what: string) =>
  (error: unknown): void =>
    log[isAway(error) ? 'debug' : 'warn']({ err: error }, what)
