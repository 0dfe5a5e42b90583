import type { Usage } from '../../../gen/lrs/v1/quotas_pb.js'
import { html, type Html } from '../../web/html.ts'
import { inBytes, moment } from './amount.ts'

/** How much of its quotas a studio uses, as bars; each leads to the rule. */
export function usageBars(usage: readonly Usage[], title = 'Your usage'): Html {
  if (usage.length === 0) return html``
  return html`
      <section class="card" aria-labelledby="usage">
        <h2 id="usage">${title}</h2>
        <ul class="meters">${usage.map(bar)}
        </ul>
      </section>`
}

/** What the subject is called where there is little room. */
const short: Readonly<Record<string, string>> = { games: 'Games', storage: 'Storage', buildUploadUrl: 'Builds today' }

function bar({ subject, anchor, used, limit, unit, resets }: Usage): Html {
  const amount = (count: bigint) => (unit === 'bytes' ? inBytes(count) : Number(count).toLocaleString('en'))
  const most = Math.max(1, Number(limit))
  const text = `${amount(used)} of ${amount(limit)}${unit === 'bytes' ? '' : ` ${unit}`}`
  return html`
          <li>
            <div class="label"><a href="/limits#${anchor}" title="${subject}">${Object.hasOwn(short, anchor) ? short[anchor] : subject}</a></div>
            <meter min="0" max="${most}" low="${most * 0.8}" high="${most * 0.95}" optimum="0" value="${Math.min(Number(used), most)}" aria-label="${subject}">${text}</meter>
            <p class="hint">${text}${used >= limit && html`, <strong>full</strong>`}${resets > 0n && html` · resets ${moment(resets)}`}</p>
          </li>`
}
