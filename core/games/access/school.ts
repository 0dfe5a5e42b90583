import { Refusal } from '../../process/refusal.ts'

/** What the school has. @throws Refusal 'not-found', also for what another school has */
export function found<Found>(one: Found | undefined): Found {
  if (one === undefined) throw new Refusal('not-found', 'Your school has no such class, or no such pupil in it.')
  return one
}

export const noLink = () => new Refusal('not-found', 'There is no such link any more: ask the school for a new one.')
