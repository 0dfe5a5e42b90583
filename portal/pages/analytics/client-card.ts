import type { ListClientVersionsResponse } from '../../../gen/lrs/v1/learners_pb.js'
import { clientFaults } from '../../../shared/client-faults.ts'
import { learnerPages } from '../../../shared/limits.ts'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { moment } from '../parts/amount.ts'

/** Which versions of our clients players use, and what is wrong with these. */
export function clientCard({ versions, complete }: ListClientVersionsResponse): Html {
  if (versions.length === 0) return html``
  const title = 'Which versions of the clients do players use?'
  return html`<section class="card" aria-labelledby="clients"><h2 id="clients">${title}</h2>
      <p>Each player of the last ${learnerPages.clientDays} days is in the row of the client that it used last.
      Of more than ${amount(learnerPages.candidates)} those count who were seen last.
      ${complete ? '' : 'Not every statement is counted yet.'}</p>
      <div class="table" role="region" aria-label="Table: ${title}" tabindex="0"><table class="stack">
        <thead><tr><th scope="col" class="number">Players</th><th scope="col">Client</th>
        <th scope="col">What is wrong</th><th scope="col">Last</th></tr></thead>
        <tbody>${versions.map(
          ({ client, players, lastSeen }) => html`
          <tr><td class="number" data-heading="Players">${amount(players)}</td>
            <td data-heading="Client">${client || 'No version is told'}</td>
            <td data-heading="What is wrong">${client === '' ? untold : wrongWith(client)}</td>
            <td data-heading="Last">${moment(lastSeen / 1_000_000n)}</td></tr>`,
        )}</tbody></table></div>
      <p class="more"><a href="/docs/clients">What clients do</a></p></section>`
}

function wrongWith(client: string): Html {
  const [name = '', version = ''] = client.split(' ')
  const known = clientFaults[name]
  return known && isBefore(version, known.before)
    ? html`${known.faults} Update to ${known.before} or later.`
    : html`Nothing that we know.`
}

const untold = html`Nothing, if the game uses no client of ours. If it does, update the client:${Object.values(
  clientFaults,
).map(({ name, before, faults }) => html`<br>${name} before ${before}: ${faults}`)}`

const isBefore = (version: string, other: string): boolean => version.localeCompare(other, 'en', { numeric: true }) < 0
