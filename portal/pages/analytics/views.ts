import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { SavedView } from '../../../gen/lrs/v1/watching_pb.js'
import { savedViews as limits } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { button, form, hidden, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { titles, type ResultPage } from '../parts/game-side.ts'

/** An address of a result page, which is not saved yet. */
export type Address = Pick<SavedView, 'page' | 'query'>

const path = (game: Game): string => `/games/${game.summary!.gameId}/views`
const addressOf = (game: Game, { page, query }: Address): string =>
  `/games/${game.summary!.gameId}${page && `/${page}`}${query && `?${query}`}`
const titleOf = (page: string): string =>
  titles[(page.startsWith('data/') ? page.split('/').slice(0, 2).join('/') : page) as ResultPage] ?? page

/** What a studio may want to save first. */
const starters: readonly (Address & { readonly text: string })[] = [
  { text: 'Progress in 7 days', page: 'data/progress', query: 'days=7' },
  { text: 'Returning players in 90 days', page: 'data/return', query: 'days=90' },
  { text: 'Problems in 7 days', page: 'data/problems', query: 'days=7' },
]

/** Links to the saved views, for the overview. */
export const viewLinks = (game: Game, views: readonly SavedView[]): Html | false =>
  views.length > 0 &&
  html`<nav class="choice saved-views" aria-label="Saved views"><ul>${views.map(
    (view) => html`<li><a href="${addressOf(game, view)}">${view.name}</a></li>`,
  )}</ul></nav>`

/** The saved views of a game, and a form that saves the page from which the visitor came. */
export function viewsPage(
  visit: Visit,
  game: Game,
  views: readonly SavedView[],
  { address, sent = {}, done }: { address?: Address | undefined; sent?: Sent; done?: string | undefined } = {},
): Html {
  const makes = isDeveloper(visit)
  const row = (view: SavedView): Html => {
    const { viewId, name, page } = view
    return html`<tr><th scope="row"><a href="${addressOf(game, view)}">${name}</a></th><td
      data-heading="Page">${titleOf(page)}</td>${
        makes &&
        html`<td><div class="view-actions"><details><summary>Rename<span class="visually-hidden"> ${name}</span></summary>
        <form method="post" class="form" action="${path(game)}/${viewId}">${visit.csrf}
        <label>New name<input name="name" value="${name}" required maxlength="${limits.name}" autocomplete="off"></label>
        <div class="actions"><button>Rename</button></div></form></details>
        ${button(visit, `${path(game)}/${viewId}/delete`, 'Delete', { about: name })}</div></td>`
      }</tr>`
  }
  return gameLayout(
    visit,
    game,
    'Saved views',
    html`
      ${
        address &&
        makes &&
        html`<section class="card" aria-labelledby="save"><h2 id="save">Save “${titleOf(address.page)}”</h2>
        ${form(visit, path(game), sent, [
          html`${hidden('page', address.page)}${hidden('query', address.query)}`,
          {
            name: 'name',
            label: 'Name',
            hint: 'For the members of your studio, such as Level 3 in build 7.',
            required: true,
            maxLength: limits.name,
            autocomplete: 'off',
          },
          submit('Save the view', {
            beside: html`<a class="button quiet" href="${addressOf(game, address)}">Back to the page</a>`,
          }),
        ])}</section>`
      }
      ${
        views.length === 0
          ? html`<div class="card empty"><h2>No saved views yet</h2>${
              makes
                ? html`<p class="muted">Choose days and builds on a page of results, then “Save view”. Or begin with one
              of these.</p><p class="actions">${starters.map(
                ({ text, page, query }) =>
                  html`<a class="button quiet small" href="${path(game)}?${String(
                    new URLSearchParams({ page, query }),
                  )}">${text}</a>`,
              )}</p>`
                : html`<p class="muted">A developer of your studio can save views.</p>`
            }</div>`
          : html`${address && makes && html`<h2>Saved so far</h2>`}<div class="table"><table class="stack"><thead><tr><th scope="col">View</th><th
          scope="col">Page</th>${makes && html`<th scope="col"><span class="visually-hidden">Change</span></th>`}</tr></thead>
          <tbody>${views.map(row)}</tbody></table></div>`
      }`,
    {
      done,
      styles: ['game.css'],
      lead:
        'A saved view is a page of results with its days, builds and other choices. All members of your studio see it. ' +
        'It names no learner.',
    },
  )
}
