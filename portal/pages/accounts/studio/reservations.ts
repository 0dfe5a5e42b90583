import type { Reservation } from '../../../../gen/lrs/v1/reservations_pb.js'
import { html, type Html } from '../../../web/html.ts'
import { moment } from '../../parts/amount.ts'

/** The activities that only the studio's own games change. */
export function reservationsCard(reservations: readonly Reservation[]): Html {
  return html`
        <section class="card" aria-labelledby="reservations"><h2 id="reservations">Reserved activities</h2>
          <p class="muted">Any game on this service can change the name and the profiles of any activity. Below a
          reserved
            address, only your own games can change them. All games can read them.</p>
          ${
            reservations.length === 0
              ? html`<p>Nothing is reserved for you. Ask the operator of this service to reserve your addresses, such as
              <code>https://your-studio.example/quiz/</code>.</p>`
              : html`<dl class="facts">${reservations.map(({ prefix, granted }) => html`<dt><code>${prefix}</code></dt><dd>since ${moment(granted)}</dd>`)}</dl>`
          }
        </section>`
}
