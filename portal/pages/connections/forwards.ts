import type { Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { connectionsPath, forwardPath } from './connection-layout.ts'
import { badgeOf, setAsideBadge, stateWords } from './forward-state.ts'

/** The other record stores that get the statements of a game. */
export function forwardsSection(visit: Visit, game: Game, forwards: readonly Forward[]): Html {
  const add = `${connectionsPath(game)}/forwards/new`
  const mayAdd = isDeveloper(visit)
  if (forwards.length === 0)
    return html`<section aria-labelledby="forwards"><div class="section-head"><h2 id="forwards">Forwarding</h2></div>
        <div class="card none-yet"><p>Forwarding sends the statements of this game on to another learning record store:
        that of a school, a customer, or your own. Each statement arrives there once and in order. What could not be
        sent waits and is tried again. You need its xAPI endpoint, and a user name and password or a token.</p>
        ${
          mayAdd
            ? html`<a class="button" href="${add}">Forward statements</a>`
            : html`<p class="muted">A developer of the studio can add it.</p>`
        }</div></section>`
  return html`<section aria-labelledby="forwards"><div class="section-head"><h2 id="forwards">Forwarding</h2>
        ${mayAdd && html`<a class="button small" href="${add}">Forward statements</a>`}</div>
      <div class="table"><table class="stack"><thead><tr><th scope="col">To</th><th scope="col">State</th>
        <th scope="col">Which statements</th><th scope="col" class="number">Sent</th></tr></thead>
        <tbody>${forwards.map((forward) => row(game, forward))}</tbody></table></div></section>`
}

function row(game: Game, forward: Forward): Html {
  const { settings, sent } = forward
  const words = stateWords(forward)
  return html`<tr><th scope="row"><a href="${forwardPath(game, forward)}">${settings!.name}</a>
          <span class="endpoint">${hostOf(settings!.endpoint)}</span></th>
          <td data-heading="State"><span class="badges">${badgeOf(words)} ${setAsideBadge(forward)}</span>${
            words.more && html`<p class="hint">${words.more}</p>`
          }</td>
          <td data-heading="Which statements">${whichOf(forward)}</td>
          <td data-heading="Sent" class="number">${amount(Number(sent))}</td></tr>`
}

/** The name of the machine in an address, which says the most in the least room. */
export const hostOf = (endpoint: string): string => URL.parse(endpoint)?.host ?? endpoint.slice(0, 100)

/** Which statements go on, in a few words. */
export function whichOf({ settings }: Pick<Forward, 'settings'>): string {
  const { sandbox, verb, activity, pseudonyms } = settings!
  const part = verb !== '' || activity !== '' ? 'some statements' : 'all statements'
  const of = sandbox ? 'of the sandbox' : 'of learners'
  const text = `${part} ${of}${pseudonyms ? ', with pseudonyms' : ''}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}
