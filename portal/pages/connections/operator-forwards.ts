import type { FindForwardsResponse, OperatedForward } from '../../../gen/lrs/v1/operator_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import type { WithAccount } from '../../web/visit.ts'
import { hostOf } from './forwards.ts'
import { badgeOf, setAsideBadge, stateWords } from './forward-state.ts'
import { counted, moment } from '../parts/amount.ts'
import { finder, operatorLayout, shown } from '../operator/operator-layout.ts'
import { table } from '../parts/table.ts'

/** The forwards of all games, without what their studios wrote about them. */
export const forwardsPage = (visit: WithAccount, { forwards, total, failing }: FindForwardsResponse): Html =>
  operatorLayout(
    visit,
    'Forwards',
    html`
      ${
        failing > 0 &&
        html`<p class="notice bad">${counted(failing, 'forward')} of ${amount(total)}
        ${failing === 1 ? 'is' : 'are'} failing.</p>`
      }
      ${finder(visit, 'A part of the name of the game or its studio, or of the host of the target')}
      ${
        forwards.length > 0
          ? table('Forwards', ['To', 'Game', 'State', 'Sent', 'Last sent'], forwards.map(row))
          : html`<div class="card empty"><p>${
              visit.query('find') === '' ? 'No game forwards its statements.' : 'No forward is found.'
            }</p></div>`
      }
      ${shown(forwards.length, total, 'forwards')}`,
    {
      styles: ['account.css', 'connections.css'],
      lead: 'Other record stores to which games send their statements. Studios add, pause and remove them.',
    },
  )

function row({ forward, gameName, studioId, studioName }: OperatedForward): (Html | string)[] {
  const { settings, sent, lastSent } = forward!
  const words = stateWords(forward!)
  return [
    hostOf(settings!.endpoint),
    html`${gameName}${
      studioId !== '' && html`<span class="endpoint"><a href="/operator/studios/${studioId}">${studioName}</a></span>`
    }`,
    html`<span class="badges">${badgeOf(words)} ${setAsideBadge(forward!)}</span>${
      words.more && html`<p class="hint">${words.more}</p>`
    }`,
    amount(Number(sent)),
    lastSent === 0n ? 'nothing yet' : moment(lastSent),
  ]
}
