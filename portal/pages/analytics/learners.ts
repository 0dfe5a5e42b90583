import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { FindLearnersResponse, SeenLearner } from '../../../gen/lrs/v1/learners_pb.js'
import { text } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { dataLayout } from '../parts/data-layout.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { field, problem } from '../parts/form.ts'
import { learnerText } from '../records/statement.ts'

/** How a learner came to the game. */
export const kinds: Readonly<Record<string, string>> = {
  player: 'with a name',
  invited: 'by invitation',
  test: 'as a test learner',
  beta: 'by the link to the beta',
  '': 'named by the game',
}

/** Learners of a game: those that were found, or those who were seen last. */
export function learnersPage(
  visit: Visit,
  game: Game,
  view: DataView,
  found: FindLearnersResponse | undefined,
  { failure, before, done }: { failure?: Failure; before?: Html | undefined; done?: string | undefined } = {},
): Html {
  const { query } = visit
  const wanted = query('q').trim()
  const isPaged = query('after') !== ''
  const all = found ? [...found.waiting, ...found.learners] : []
  const at = (more: Readonly<Record<string, string>>) =>
    dataPath(game, 'learners', view, { ...(wanted === '' ? {} : { q: wanted }), ...more })
  return dataLayout(
    visit,
    game,
    view,
    'learners',
    html`
      ${done !== undefined && html`<p class="notice good" role="status">${done}</p>`}${before}
      ${problem(failure, { text: 'Name or account' })}
      ${
        found &&
        !found.complete &&
        html`<p class="notice" role="status">Statements are still being counted, so some learners may be missing.
        This page shows more in a moment.</p>`
      }
      ${all.length > 0 && list(game, view, all, wanted !== '')}
      ${found && all.length === 0 && none(game, view, wanted, isPaged)}
      ${
        (isPaged || (found && found.next !== '')) &&
        html`<nav class="actions" aria-label="Pages">
        ${isPaged && html`<a class="button quiet" href="${at({})}">Back to the first page</a>`}
        ${
          found &&
          found.next !== '' &&
          html`<a class="button" rel="next" href="${at({ after: found.next })}">More learners</a>`
        }</nav>`
      }`,
    { filters: search(view, query('q')) },
  )
}

const search = (view: DataView, value: string): Html =>
  html`<form method="get" role="search" class="find" aria-label="Learners">
        ${view.sandbox && html`<input type="hidden" name="from" value="sandbox">`}
        ${field({
          name: 'q',
          label: 'Name or account',
          placeholder: 'Name or account',
          type: 'search',
          value,
          maxLength: 200,
          autocomplete: 'off',
        })}
        <button class="quiet">Find</button></form>`

/** The address of the page of a learner. */
export const learnerPath = (
  game: Game,
  view: Pick<DataView, 'sandbox'>,
  agent: string,
  more: Readonly<Record<string, string>> = {},
): string => dataPath(game, 'learner', { sandbox: view.sandbox, days: 30 }, { agent: identifierText(agent), ...more })

/** The identifier as the filter of statements takes it. @param agent JSON of an identifier */
export const identifierText = (agent: string): string =>
  learnerText(JSON.parse(agent) as Record<string, unknown>) ?? agent

/** What people see of an account: nothing where it is an id of the player. */
export function accountText({ agent, kind }: Pick<SeenLearner, 'agent' | 'kind'>): string | undefined {
  return kind === '' ? text(identifierText(agent)) : undefined
}

export const nameOf = ({ name }: Pick<SeenLearner, 'name'>): string => text(name) ?? 'Without a name'

function list(game: Game, view: DataView, learners: readonly SeenLearner[], isFound: boolean): Html {
  return html`<section aria-label="${isFound ? 'Found' : 'Seen last'}">${
    isFound &&
    html`<p class="hint">Found, by the beginning of a word. <a href="${dataPath(game, 'learners', view)}">Those who
      were seen last</a></p>`
  }
      <div class="table"><table class="stack dense"><thead><tr><th scope="col">Learner</th><th scope="col">Joined</th>
      <th scope="col">Last seen</th><th scope="col" class="number">Sessions</th>
      <th scope="col" class="number">Statements</th></tr></thead>
      <tbody>${learners.map((learner) => row(game, view, learner))}</tbody></table></div></section>`
}

function row(game: Game, view: DataView, learner: SeenLearner): Html {
  const { agent, kind, lastSeen, sessions, statements } = learner
  const account = accountText(learner)
  return html`<tr><th scope="row"><a href="${learnerPath(game, view, agent)}">${nameOf(learner)}</a>${
    account !== undefined && html`<br><span class="account">${account}</span>`
  }</th>
        <td data-heading="Joined">${kinds[kind]}</td>
        <td data-heading="Last seen">${lastSeen > 0n ? moment(lastSeen / 1_000_000n) : 'not yet'}</td>
        <td data-heading="Sessions" class="number">${sessions.toLocaleString('en')}</td>
        <td data-heading="Statements" class="number">${statements.toLocaleString('en')}</td></tr>`
}

function none(game: Game, view: DataView, wanted: string, isPaged: boolean): Html {
  const { gameId } = game.summary!
  if (wanted !== '' || isPaged)
    return html`<div class="card empty"><h2>No learner is found</h2><p>Each word has to be the beginning of a word of
      the name or account. Try fewer letters.</p>
        <p class="actions"><a class="button" href="${dataPath(game, 'learners', view)}">Those who were seen
        last</a></p></div>`
  return view.sandbox
    ? html`<div class="card empty"><h2>No test learners yet</h2><p>Play your build as a test learner, and they
      appear here.</p>
        ${
          view.makes &&
          html`<p class="actions"><a class="button" href="/games/${gameId}/sandbox">Open a sandbox session</a></p>`
        }</div>`
    : html`<div class="card empty"><h2>No learners yet</h2><p>Players of the published game appear here with their first
      statement. You can invite learners by name.</p>
        <p class="actions">${
          view.makes && html`<a class="button" href="/games/${gameId}/invitations">Invite learners</a> `
        }<a class="button quiet" href="${dataPath(game, 'learners', { ...view, sandbox: true })}">Show the
        sandbox</a></p></div>`
}
