import { html, type Html } from '../../web/html.ts'

/** A table whose cells stand below each other on a phone; the first cell of a row is its name. */
export function table(label: string, columns: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  const row = ([first, ...others]: readonly (Html | string)[]) =>
    html`<tr><th scope="row">${first ?? ''}</th>${others.map(
      (cell, at) => html`<td data-heading="${columns[at + 1] ?? ''}">${cell}</td>`,
    )}</tr>`
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table class="stack">
        <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows.map(row)}</tbody></table></div>`
}
