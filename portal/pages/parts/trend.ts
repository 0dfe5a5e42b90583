import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'

/** How a count differs from that of the period before; nothing where there was none. @param days in words */
export function trendOf(now: number, before: number, days: string): Html | false {
  if (before === 0) return false
  const change = Math.round(((now - before) / before) * 100)
  if (change === 0) return html`<small>as before</small>`
  const [sign, words] = change > 0 ? ['▲', 'more'] : ['▼', 'fewer']
  return html`<small title="${amount(before)} in ${days} before"><span aria-hidden="true">${sign} </span>${amount(
    Math.abs(change),
  )} % ${words}<span class="visually-hidden"> than in ${days} before</span></small>`
}
