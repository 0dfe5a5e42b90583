const whole = /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/
const fraction = /[.,]\d+(?=[A-Z]$)/

/**
 * A duration of ISO 8601:2004, 4.4.3.2: `PnYnMnDTnHnMnS` without the parts that are zero, or `PnW` alone.
 * Only the last part may have a fraction.
 */
export function isDuration(text: string): boolean {
  return whole.test(text) || whole.test(text.replace(fraction, ''))
}
