import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { LearnerSession } from '../../../gen/lrs/v1/learners_pb.js'
import { filterFields, statementFilters } from '../../../shared/statement-filters.ts'
import { languagesIn, text } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import { isOwner, type Form, type Visit } from '../../web/visit.ts'
import { dataLayout } from '../parts/data-layout.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { hidden, field, problem, select } from '../parts/form.ts'
import { pages } from '../parts/paging.ts'
import { activityChoices, noNames, verbChoices, type Named } from '../parts/suggestions.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { prettyJson } from '../parts/json.ts'
import { sessionGroups } from './session-groups.ts'
import { moment } from '../parts/amount.ts'
import { linkedSentence, type StatementJson, type Telling } from './statement.ts'
import { namesOfFilters } from './filter-names.ts'
import { takeForm } from './take-statements.ts'

export interface FoundStatements {
  /** JSON of each. */
  readonly json: readonly string[]
  /** `offset` of the next page; empty at the end. */
  readonly next: string
  /** Where those that come from now on begin, ISO 8601. */
  readonly through: string
  /** The sessions of these statements, as far as they are known. */
  readonly sessions?: readonly LearnerSession[]
}

/** What this game has sent, and why the filters were refused. */
export type Narrowing = Named & { readonly failure?: Failure }

const labels = {
  ...Object.fromEntries(filterFields.map(([name, { label }]) => [name, label])),
  order: 'Order',
}
const filterNames = Object.keys(labels)

/** How statements of this game are shown to this visitor. */
export const tellingOf = (visit: Visit, game: Game, view: DataView): Telling => ({
  at: (changed) => dataPath(game, 'statements', view, { ...filtersOf(visit), ...changed }),
  one: (id) => `/games/${game.summary!.gameId}/statements/${id}${view.sandbox ? '?from=sandbox' : ''}`,
  languages: languagesIn(visit.request.get('accept-language') ?? ''),
  game: game.summary!,
})

/** The filters of the address that are not empty. */
const filtersOf = ({ query }: Visit): Readonly<Record<string, string>> =>
  Object.fromEntries(filterNames.map((name) => [name, query(name)] as const).filter(([, value]) => value !== ''))

/** The list of matching statements. @param found undefined: the query was refused, or the game has no credential */
export function statementsPage(
  visit: Visit,
  game: Game,
  view: DataView,
  found: FoundStatements | undefined,
  { failure, ...named }: Narrowing = noNames,
): Html {
  const { query } = visit
  const filters = filtersOf(visit)
  const { order, ...narrowing } = filters
  const isNarrowed = Object.keys(narrowing).length > 0
  const isPaged = query('offset') !== ''
  const isLive = found !== undefined && order !== 'oldest' && filters['until'] === undefined && !isPaged
  const telling = tellingOf(visit, game, view)
  return dataLayout(
    visit,
    game,
    view,
    'statements',
    html`
      ${
        isNarrowed &&
        !failure &&
        narrowed(narrowing, namesOfFilters(found?.json ?? [], narrowing, telling), (rest) =>
          dataPath(game, 'statements', view, { ...rest, ...(order === undefined ? {} : { order }) }),
        )
      }
      ${isLive && live(game, view, filters, found.through)}
      ${found === undefined && !failure && nobody(game, view)}
      ${
        found &&
        (found.json.length > 0 || isLive) &&
        html`<h2 class="visually-hidden">Statements</h2>
      <div class="sessions">${sessionGroups(found.json, telling, found.sessions)}</div>`
      }
      ${found?.json.length === 0 && none(game, view, isNarrowed || isPaged)}
      ${found && found.json.length > 0 && takeForm(game, view, narrowing)}
      ${
        isOwner(visit) &&
        html`<p class="hint"><a href="${dataPath(game, 'deletions', { ...view, days: 30 }, narrowing)}">Delete statements
        that were sent by mistake</a></p>`
      }
      ${pages(
        isPaged && dataPath(game, 'statements', view, filters),
        found !== undefined &&
          found.next !== '' &&
          dataPath(game, 'statements', view, { ...filters, offset: found.next }),
        order === 'oldest' ? { back: 'Back to the oldest', onward: 'Newer ones' } : {},
      )}`,
    { filters: filterForm(query, view, named, failure), scripts: isLive ? ['live.js'] : [] },
  )
}

/** The filters in use, each with a link that drops it. @param at the address with other filters */
function narrowed(
  filters: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
  at: (filters: Readonly<Record<string, string>>) => string,
): Html {
  const chips = Object.entries(filters).map(([name, value]) => {
    const { [name]: _, ...rest } = filters
    const words = html`${inWords[name]} <b>${names[name] ?? text(value)}</b>`
    return html`<li>${words} <a href="${at(rest)}" class="drop" title="Drop this filter"><span
      aria-hidden="true">×</span><span class="visually-hidden">Without ${words}</span></a></li>`
  })
  return html`<div class="narrowed"><span>Only statements with</span> <ul>${chips}</ul> <a href="${at({})}">All
      statements</a></div>`
}

const inWords: Readonly<Record<string, string>> = Object.fromEntries(
  filterFields.map(([name, { words }]) => [name, words]),
)

function filterForm(query: Form, view: DataView, named: Named, failure: Failure | undefined): Html {
  const choices = { verb: verbChoices(named), activity: activityChoices(named) }
  return html`<details class="others filter"${failure && html` open`}><summary>Filters</summary>
        <form method="get" role="search" class="card" aria-label="Statements">
          ${
            view.sandbox && html`<input type="hidden" name="from" value="sandbox">`
          }${view.days !== 30 && hidden('days', view.days)}
          ${failure && html`<div class="actions">${problem(failure, labels)}</div>`}
          ${filterFields.map(([name, { label, hint }]) =>
            field({
              name,
              label,
              hint,
              value: query(name),
              failure,
              ...(statementFilters[name].is === 'time'
                ? { type: 'date' }
                : { type: 'search', maxLength: 2_000, choices: choices[name as keyof typeof choices] ?? [] }),
            }),
          )}
          ${select({
            name: 'order',
            label: labels.order,
            hint: 'By the time of arrival.',
            value: query('order'),
            of: [
              { value: '', text: 'Newest first' },
              { value: 'oldest', text: 'Oldest first' },
            ],
          })}
          <div class="actions"><button>Show</button></div>
        </form></details>`
}

/** Filled by live.js; without it nothing is shown. */
function live(game: Game, view: DataView, filters: Readonly<Record<string, string>>, through: string): Html {
  return html`<div class="live" hidden data-from="${dataPath(game, 'statements', view, filters).replace(
    '/statements',
    '/statements/live',
  )}" data-since="${through}">
        <p><span class="pulse"></span> <span role="status">Live</span></p>
        <button type="button" class="quiet small">Pause</button></div>`
}

function none(game: Game, view: DataView, isNarrowed: boolean): Html {
  if (isNarrowed)
    return html`<div class="card empty"><h2>Nothing matches</h2><p>Change a filter, or show all statements.</p>
        <p class="actions"><a class="button" href="${dataPath(game, 'statements', view)}">All statements</a></p></div>`
  return nobody(game, view)
}

function nobody(game: Game, view: DataView): Html {
  const { gameId } = game.summary!
  return view.sandbox
    ? html`<div class="card empty"><h2>Nothing from the sandbox yet</h2><p>Play your build as a test learner:
      what it sends appears here and beside the game.</p>
        ${
          view.makes &&
          html`<p class="actions"><a class="button" href="/games/${gameId}/sandbox">Open a sandbox session</a></p>`
        }</div>`
    : html`<div class="card empty"><h2>No statements yet</h2><p>Once the game is published, statements of learners
      appear here as they arrive. Sandbox statements are kept separate.</p>
        <p class="actions">${view.makes && html`<a class="button" href="/games/${gameId}">See the next step</a> `}<a
        class="button quiet" href="${dataPath(game, 'statements', {
          ...view,
          sandbox: true,
        })}">Show the sandbox</a></p></div>`
}

/** Characters of JSON that a page shows. */
const pageJson = 200_000

/** One statement with its JSON. */
export function statementPage(visit: Visit, game: Game, view: DataView, json: string): Html {
  const telling = tellingOf(visit, game, view)
  const statement = JSON.parse(json) as StatementJson
  const at = telling.one(statement.id)
  return gameLayout(
    visit,
    game,
    'Statement',
    html`
      <p class="lead">${linkedSentence(statement, telling)}</p>
      <dl class="facts"><dt>Arrived</dt><dd>${moment(statement.stored, 'second')}</dd><dt>Happened</dt>
      <dd>${moment(statement.timestamp, 'second')}</dd><dt>Id</dt><dd><code>${statement.id}</code></dd></dl>
      <h2>JSON</h2>
      ${json.length <= pageJson ? prettyJson(json) : html`<p>The JSON is too long to show here.</p>`}
      <p class="actions"><a class="button quiet" href="${at.replace(statement.id, `${statement.id}/json`)}">Download</a>
      <a class="button quiet" href="${telling.at({})}">All statements</a></p>`,
    {
      styles: ['data.css'],
      trail: [{ href: telling.at({}), text: 'Statements' }],
    },
  )
}
