import { slots, type SlotsOptions } from '../../process/concurrency/slots.ts'

/** Limits how many files of statements are made at a time, and ends them when core ends. */
export function exporting(options: Omit<SlotsOptions, 'refusal'>) {
  const { take } = slots({
    ...options,
    refusal: 'Too many exports are being made at the moment; try again when one has ended.',
  })
  const ending = new AbortController()
  return {
    /** Takes a slot of the studio. Returns the function that releases it. @throws Refusal 'unavailable' */
    take,
    /** Aborted once core ends. */
    ending: ending.signal,
    close: () => ending.abort(),
  }
}

export type Exporting = ReturnType<typeof exporting>
