import { changeOf } from '../../../shared/overview-rules.ts'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'

/** How a count differs from that of the period before; nothing where there was none. @param days in words */
export function trendOf(now: number, before: number, days: string): Html | false {
  const change = changeOf(now, before)
  if (change === undefined) return false
  if (change === 0) return html`<small>as before</small>`
  const [sign, words] = change > 0 ? ['▲', 'more'] : ['▼', 'fewer']
  return html`<small title="${amount(before)} in ${days} before"><span aria-hidden="true">${sign} </span>${amount(
    Math.abs(change),
  )} % ${words}<span class="visually-hidden"> than in ${days} before</span></small>`
}
