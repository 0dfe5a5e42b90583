import { deliveries as limits } from '../../../shared/limits.ts'

/** A time, a quarter longer or shorter by chance, so that many do not come at once. @param chance from 0 to 1 */
export const spread = (time: number, chance = Math.random()): number => time * (0.75 + chance / 2)

/**
 * Seconds until the next attempt at another system, after a number of failures in a row: twice as long each time, spread.
 * What the other system asks for by Retry-After is kept, up to a limit.
 * @param retryAfter the header: seconds or an HTTP date (RFC 9110); undefined: none
 * @param first the shortest pause
 * @param longest of its own pauses
 */
export function pauseAfter(
  failures: number,
  retryAfter?: string,
  {
    now = Date.now(),
    chance = Math.random(),
    first = limits.firstPause,
    longest = limits.longestPause,
  }: { now?: number; chance?: number; first?: number; longest?: number } = {},
): number {
  const doubled = Math.min(longest, first * 2 ** Math.min(Math.max(failures, 1) - 1, 30))
  const own = Math.min(longest, Math.max(first, spread(doubled, chance)))
  return Math.max(own, Math.min(limits.longestAsked, secondsAsked(retryAfter, now)))
}

/** Seconds until what broke off is tried again; spread, so that one that breaks others off meets few of them again. */
export const pauseAfterBreak = (): number => limits.firstPause * (1 + 7 * Math.random())

/** Seconds that Retry-After asks for; 0: none, or nothing that can be read. */
export function secondsAsked(retryAfter: string | undefined, now: number): number {
  const text = (retryAfter ?? '').trim().slice(0, 100)
  if (/^\d+$/.test(text)) return Number(text)
  // a date has letters; Date.parse reads a bare "-5" as a year
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now) / 1000)
}
