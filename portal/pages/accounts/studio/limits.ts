import type { Limit } from '../../../../gen/lrs/v1/quotas_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { docsTrail, layout } from '../../parts/layout.ts'

/** The public page of every limit, as core enforces them. */
export function limitsPage(viewer: Visit, limits: Limit[]): Html {
  const groups = Map.groupBy(limits, ({ group }) => group)
  const lead = `The limits of this service, from the table that enforces them. Each server counts LRS requests by itself, in windows
      of 60 seconds, so you always get at least the rates below. All other limits count across all servers.`
  return layout(
    viewer,
    'Limits and quotas',
    html`${Array.from(groups, ([group, entries]) => section(group, entries))}`,
    { lead, trail: docsTrail },
  )
}

function section(group: string, limits: Limit[]): Html {
  const keyed = limits.some(({ keyedBy }) => keyedBy !== '')
  const noted = limits.some(({ notes }) => notes !== '')
  const columns = ['What', 'Limit', ...(keyed ? ['Counted by'] : []), ...(noted ? ['Notes'] : [])]
  const row = ({ subject, limit, keyedBy, notes, anchor }: Limit) => html`
            <tr${anchor !== '' && html` id="${anchor}" tabindex="-1"`}><th scope="row">${subject}</th><td>${limit}</td>${keyed ? cell('Counted by', keyedBy) : ''}${noted ? cell('', notes) : ''}</tr>`
  return html`
      <h2 id="${group.toLowerCase().replaceAll(' ', '-')}">${group}</h2>
      <div class="table" role="region" aria-label="${group}" tabindex="0">
        <table class="stack">
          <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
          <tbody>${limits.map(row)}
          </tbody>
        </table>
      </div>`
}

/** On a phone the columns stand below each other, so each cell carries its heading. */
function cell(heading: string, text: string): Html {
  return html`<td data-heading="${heading}">${text}</td>`
}
