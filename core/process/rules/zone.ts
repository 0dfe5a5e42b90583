import { Problem } from '../problem.ts'

/** Whether a text names a time zone. An offset such as `+00:07` has no name, and its days begin between quarters. */
export function isZone(zone: string): boolean {
  try {
    return /^[A-Z]/i.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** @throws Problem at `zone` */
export function zoneIn(zone: string): string {
  if (!isZone(zone))
    throw new Problem('zone', 'must be a time zone of the IANA database, such as Europe/Berlin, or UTC')
  return zone
}
