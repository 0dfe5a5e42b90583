import type { Class, ClassLearner, GetClassResponse, LearnerResult } from '../../../../gen/lrs/v1/classes_pb.js'
import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import { classResults } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import { isDeveloper, type Visit } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { learnerFields } from './classes.ts'
import { button, form, hidden, postForm, submit, type Sent } from '../../parts/form.ts'
import { gameLayout } from '../../parts/game-layout.ts'
import { inEnglish } from '../../../web/say.ts'

/** Cards on one sheet, and links that are made at once. */
export const cardsOfSheet = 30

export const classPath = (game: Game, id: string): string => `/games/${game.summary!.gameId}/classes/${id}`

/** Changes with every link that is made: a form that is sent a second time is told by it. */
export const linksSeen = (learners: readonly ClassLearner[]): string => {
  const linked = learners.map(({ invitation }) => Number(invitation!.linked))
  return `${linked.filter((time) => time > 0).length}-${Math.max(0, ...linked)}`
}

export const isOpen = ({ invitation }: ClassLearner): boolean => invitation!.ended === 0n
export const withoutLink = (learners: readonly ClassLearner[]): ClassLearner[] =>
  learners.filter((one) => isOpen(one) && one.invitation!.linked === 0n)

/** A class: its links, and what its learners did. */
export function classPage(
  visit: Visit,
  game: Game,
  { class: of, learners }: GetClassResponse,
  { done, ...sent }: Sent & { done?: string | undefined } = {},
): Html {
  const path = classPath(game, of!.classId)
  const makes = isDeveloper(visit)
  return gameLayout(
    visit,
    game,
    of!.name,
    html`
      ${of!.ended > 0n ? ended(visit, path, of!, makes) : makes && links(visit, path, learners)}
      <section aria-labelledby="results"><h2 id="results">Results</h2>${results(
        game,
        of!,
        learners,
        makes && of!.ended === 0n,
      )}</section>
      ${
        makes &&
        of!.ended === 0n &&
        html`<section class="card" aria-labelledby="add"><h2 id="add">Add learners</h2>${form(
          visit,
          `${path}/learners`,
          sent,
          [...learnerFields, submit('Add them', { className: 'quiet' })],
        )}</section>
        <section aria-labelledby="hand"><h2 id="hand">Hand the class over to a school</h2><p>A teacher takes it over with
        a code. The learners keep their results, and only the school knows their names.</p>
        <div class="actions">${button(visit, `${path}/hand-over`, 'Make a code', { className: 'quiet' })}</div></section>
        <section aria-labelledby="end"><h2 id="end">End the class</h2><p>When the class is over, end it: its links stop,
        and after a day its list of names is deleted.</p>
        <div class="actions"><a class="button danger" href="${path}/end">End the class</a></div></section>`
      }`,
    { done, styles: ['game.css', 'class.css'] },
  )
}

const ended = (visit: Visit, path: string, { final }: Class, makes: boolean): Html =>
  html`<div class="notice warn"><p>This class has ended: its links are no longer good. On ${moment(final)} its list of
      names is deleted. Save the results before.</p>
      ${makes && button(visit, `${path}/restore`, 'Undo the end', { className: '' })}</div>`

function links(visit: Visit, path: string, learners: readonly ClassLearner[]): Html {
  const without = withoutLink(learners)
  const some = Math.min(without.length, cardsOfSheet)
  return html`<section class="card" aria-labelledby="links"><h2 id="links">Links to print</h2>
      ${
        without.length > 0
          ? html`<p>${without.length === 1 ? '1 learner has' : `${without.length} learners have`} no link yet.
          Make ${some === 1 ? 'it' : 'them'} when you can print: links are shown only once, so that only you
          know them.</p>
        ${postForm(
          visit,
          `${path}/links`,
          html`${hidden('seen', linksSeen(learners))}${submit(`Make a sheet with ${counted(some, 'link')}`)}`,
        )}`
          : html`<p>All learners have a link. Links are shown only once. If one is lost, make a new one: the learner
          stays the same, with all results.</p>`
      }
      ${
        learners.some((one) => isOpen(one) && one.invitation!.linked > 0n) &&
        html`<div class="actions"><a class="button quiet" href="${path}/links">Make new links for the class</a></div>`
      }</section>`
}

function results(game: Game, of: Class, learners: readonly ClassLearner[], makes: boolean): Html {
  if (learners.length === 0)
    return html`<div class="card empty"><p class="muted">Nobody is in this class any more.</p></div>`
  const started = learners.filter((one) => hasStarted(one)).length
  const isCut = learners.some(({ result }) => result!.more)
  return html`<p>${started} of ${counted(learners.length, 'learner')} started.
      <a href="${classPath(game, of.classId)}/results.csv">Download as CSV</a></p>
      <div class="table" role="region" aria-label="Table of results" tabindex="0"><table class="stack results"><thead>
      <tr><th scope="col">Learner</th>
      ${Object.keys(columns).map((heading) => html`<th scope="col" class="number">${heading}</th>`)}
      <th scope="col">Last seen</th>${
        makes && html`<th scope="col"><span class="visually-hidden">Change</span></th>`
      }</tr></thead>
      <tbody>${learners.map((one) => row(game, of, one, makes))}</tbody></table></div>
      <p class="hint">From the statements of these learners, as they are now. Completed, passed: levels with such an
      attempt, without the game itself. Failed: levels with a failed attempt and no passed one. Abandoned: levels of
      which no attempt was completed, passed or failed. ${inEnglish('levels.meaning')} Best score: of all attempts, those at the game
      itself included. Played: from the first to the last statement of each session, by the clock of the device;
      sessions above 24 hours do not count.${
        isCut &&
        ` Of learners with more than ${classResults.statements.toLocaleString('en')} statements, the newest ones.`
      }</p>`
}

export const hasStarted = ({ invitation, result }: ClassLearner): boolean =>
  invitation!.used > 0 || result!.statements > 0

/** The name leads to what the learner did, once there is something. */
const nameCell = (game: Game, { invitation, result }: ClassLearner): Html | string => {
  const { learnerName } = invitation!
  if (result!.statements === 0) return learnerName
  const found = `/games/${game.summary!.gameId}/learners?${new URLSearchParams({ q: learnerName })}`
  return html`<a href="${found}">${learnerName}</a>`
}

function row(game: Game, of: Class, one: ClassLearner, makes: boolean): Html {
  const { invitationId, learnerName } = one.invitation!
  const page = (name: string) =>
    `/games/${game.summary!.gameId}/invitations/${invitationId}/${name}?class=${of.classId}`
  const name = html`<span class="visually-hidden"> for ${learnerName}</span>`
  const change = isOpen(one)
    ? html`<a class="button quiet small" href="${page('link')}">New link${name}</a>
      <a class="button quiet small" href="${page('end')}">End<span class="visually-hidden"> the invitation of
      ${learnerName}</span></a>`
    : html`<a class="button quiet small" href="${page('end')}">Ended: undo<span class="visually-hidden"> the end of the
      invitation of ${learnerName}</span></a>`
  return html`<tr><th scope="row">${nameCell(game, one)}</th>${Object.entries(columns).map(
    ([heading, valueOf]) =>
      html`<td data-heading="${heading}" class="number">${hasStarted(one) ? valueOf(one.result!) : '–'}</td>`,
  )}<td data-heading="Last seen">${
    hasStarted(one) ? moment(one.result!.last) : html`<span class="muted">not yet</span>`
  }</td>${makes && html`<td class="change">${change}</td>`}</tr>`
}

const columns: Readonly<Record<string, (result: LearnerResult) => string | number>> = {
  Attempts: ({ attempts }) => attempts,
  Completed: ({ completed }) => completed,
  Passed: ({ passed }) => passed,
  Failed: ({ failed }) => failed,
  Abandoned: ({ abandoned }) => abandoned,
  'Best score': ({ bestScore }) => (bestScore === undefined ? '–' : `${Math.round(bestScore * 100)} %`),
  Played: ({ seconds }) => inMinutes(seconds),
}

const inMinutes = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)
