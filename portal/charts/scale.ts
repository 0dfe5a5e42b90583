/** The next round number whose half is a whole number. */
export function roundTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
    .map((factor) => Math.round(factor * power))
    .find((top) => top >= most && top % 2 === 0)!
}

const minute = 60
const hour = 3600
const day = 86_400
const times = [1, 2, 4, 10, 20, 30, minute, 2 * minute, 4 * minute, 6 * minute, 10 * minute, 20 * minute, 30 * minute]
const longer = [hour, 2 * hour, 4 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 10 * day, 20 * day]

/** The next round time whose half is round, too. */
export const roundTime = (most: number): number =>
  [...times, ...longer].find((top) => top >= most) ?? roundTop(most / day) * day

/** For attributes: as exact as a screen shows. */
export const number = (value: number): string => String(Math.round(value * 100) / 100)
export const percent = (value: number): string => `${number(value)}%`
