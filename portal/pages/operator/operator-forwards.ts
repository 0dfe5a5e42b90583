import { ForwardState, type Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../html.ts'
import type { WithAccount } from '../../visit.ts'
import { hostOf } from '../connections/forwards.ts'
import { badgeOf, setAsideBadge, stateWords } from '../connections/forward-state.ts'
import { counted, moment } from '../parts/amount.ts'
import { operatorLayout, table } from './operator-layout.ts'

/** Rows of the page; `games-lrs` lists all. */
const most = 200
/** What needs somebody comes first. */
const urgency: Record<ForwardState, number> = {
  [ForwardState.FAILING]: 0,
  [ForwardState.UNSPECIFIED]: 1,
  [ForwardState.RUNNING]: 2,
  [ForwardState.PAUSED]: 3,
}

/** Every forward of every game, without what its studio wrote about it. */
export function forwardsPage(visit: WithAccount, forwards: readonly Forward[]): Html {
  const failing = forwards.filter(({ state }) => state === ForwardState.FAILING)
  const inOrder = forwards.toSorted(
    (a, b) => urgency[a.state] - urgency[b.state] || Number(b.behindSeconds - a.behindSeconds),
  )
  return operatorLayout(
    visit,
    'Forwards',
    html`
      ${
        failing.length > 0 &&
        html`<p class="notice bad">${counted(failing.length, 'forward')} of ${amount(forwards.length)}
        ${failing.length === 1 ? 'is' : 'are'} failing.</p>`
      }
      ${
        forwards.length === 0
          ? html`<div class="card empty"><p>No game forwards its statements.</p></div>`
          : table('Forwards', ['To', 'State', 'Sent', 'Last sent'], inOrder.slice(0, most).map(row))
      }
      ${
        forwards.length > most &&
        html`<p class="hint">These are ${most} of ${amount(forwards.length)}, those with problems first.</p>`
      }`,
    {
      styles: ['account.css', 'connections.css'],
      lead: 'Other record stores to which games send their statements. Studios add, pause and remove them.',
    },
  )
}

function row(forward: Forward): (Html | string)[] {
  const { settings, gameId, sent, lastSent } = forward
  const words = stateWords(forward)
  return [
    html`${hostOf(settings!.endpoint)}<span class="endpoint">Game ${gameId}</span>`,
    html`<span class="badges">${badgeOf(words)} ${setAsideBadge(forward)}</span>${
      words.more && html`<p class="hint">${words.more}</p>`
    }`,
    amount(Number(sent)),
    lastSent === 0n ? 'nothing yet' : moment(lastSent),
  ]
}
