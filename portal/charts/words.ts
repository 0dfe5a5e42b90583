/** Seconds for people, in two units at most. */
export function duration(seconds: number): string {
  const sign = seconds < 0 ? '-' : ''
  const value = Math.abs(seconds)
  if (value < 9.95) return `${sign}${Math.round(value * 10) / 10} s`
  const whole = Math.round(value)
  if (whole < 60) return `${sign}${whole} s`
  if (whole < 3600) return sign + pair(Math.floor(whole / 60), 'min', whole % 60, 's')
  const minutes = Math.round(value / 60)
  if (minutes < 1440) return sign + pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(value / 3600)
  return sign + pair(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const pair = (most: number, unit: string, rest: number, small: string): string =>
  rest === 0 ? `${amount(most)} ${unit}` : `${amount(most)} ${unit} ${rest} ${small}`

/** A part of a whole as whole percents; those close to none or all do not become them. */
export function percentOf(part: number, whole: number): string {
  if (whole <= 0) return '0 %'
  const percent = (part / whole) * 100
  if (part > 0 && percent < 1) return 'below 1 %'
  if (part < whole && percent > 99) return 'above 99 %'
  return `${Math.round(percent)} %`
}

/** Points of a hundred, `12`, or `0.4` where it is less than one. */
export const points = (share: number): string => {
  const size = Math.abs(share) * 100
  return String(size < 0.95 ? Math.round(size * 10) / 10 : Math.round(size))
}
/** With its sign: `+12`. */
export const signed = (share: number): string => {
  const size = points(share)
  return `${size === '0' ? '' : share > 0 ? '+' : '−'}${size}`
}

// made once: `toLocaleString` makes a format each time, and a page tells thousands of numbers
const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
export const amount = (value: number): string => whole.format(value)
/** For axes: `1.2K`. */
export const short = (value: number): string => compact.format(value)
