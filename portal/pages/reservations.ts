import type { Reservation } from '../../gen/lrs/v1/reservations_pb.js'
import { html, type Html } from '../html.ts'
import { moment } from './amount.ts'

/** Which activities only the studio's own games change. */
export function reservationsCard(reservations: readonly Reservation[]): Html {
  return html`
        <section class="card" aria-labelledby="reservations"><h2 id="reservations">Reserved activities</h2>
          <p class="muted">What an activity is called, and its profiles, can be changed by every game of this service. Below a reserved
            address only your own games change them; everybody reads them.</p>
          ${reservations.length === 0
            ? html`<p>Nothing is reserved for you. Those who run this service reserve addresses that are yours, such as <code>https://your-studio.example/quiz/</code>: ask them.</p>`
            : html`<dl class="facts">${reservations.map(({ prefix, granted }) => html`<dt><code>${prefix}</code></dt><dd>since ${moment(granted)}</dd>`)}</dl>`}
        </section>`
}
