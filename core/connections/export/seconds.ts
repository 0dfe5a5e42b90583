const parts =
  /^P(?:([\d.,]+)Y)?(?:([\d.,]+)M)?(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/
const day = 86_400
/** Seconds of each part; a year and a month have no fixed length, and count as in the charts. */
const lengths = [365 * day, 30 * day, 7 * day, day, 3_600, 60, 1]

/** Seconds of a duration of ISO 8601. */
export function secondsOf(duration: string): number | undefined {
  const [, ...found] = parts.exec(duration) ?? []
  const seconds = found.reduce((sum, part, at) => sum + lengths[at]! * Number((part ?? '0').replace(',', '.')), 0)
  return Number.isFinite(seconds) && found.length > 0 ? seconds : undefined
}
