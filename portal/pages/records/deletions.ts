import type { Deletion, PreviewDeletionResponse } from '../../../gen/lrs/v1/deletions_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { deletions as limits } from '../../../shared/limits.ts'
import { filterFields } from '../../../shared/statement-filters.ts'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { counted, moment } from '../parts/amount.ts'
import { form, hidden, question, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { table } from '../parts/table.ts'

/** What says which statements, with how it is called. */
const fields: readonly (readonly [string, string])[] = [
  ...filterFields.map(([name, { label }]) => [name, label] as const),
  ['ids', 'Ids'],
]

/** Whether this says which statements. */
export const isChosen = (values: Form): boolean => fields.some(([name]) => values(name) !== '')

interface Deleting extends Sent {
  readonly values: Form
  /** What would go. */
  readonly found?: PreviewDeletionResponse | undefined
  readonly done?: string | undefined
}

/** Deletion of statements that were sent by mistake: which, what would go, the receipts. */
export function deletionsPage(visit: Visit, game: Game, deletions: readonly Deletion[], deleting: Deleting): Html {
  const at = `/games/${game.summary!.gameId}`
  const { found, done } = deleting
  return gameLayout(
    visit,
    game,
    'Delete statements',
    html`
      ${found && found.statements > 0 ? confirmation(visit, at, found, deleting) : which(visit, at, deleting)}
      <section aria-labelledby="receipts"><h2 id="receipts">Receipts</h2>${receipts(at, deletions)}</section>`,
    {
      done,
      styles: ['game.css'],
      lead:
        'For what was sent by mistake. To remove a learner, erase the learner; to remove what is old, set how long ' +
        'data is kept.',
    },
  )
}

const which = (visit: Visit, at: string, { found, ...sent }: Deleting): Html =>
  html`<section class="card" aria-labelledby="which"><h2 id="which">${found ? 'Nothing is found' : 'Which statements'}</h2>
      <p>Filter <a href="${at}/statements">the statements</a>, and go on with the link below them. Or name single ones:</p>
      ${form(visit, `${at}/deletions`, sent, [
        {
          name: 'ids',
          label: 'Ids of statements',
          hint: `One a line, ${limits.ids.toLocaleString('en')} at most.`,
          rows: 4,
          required: true,
        },
        hidden('from', sent.values('from')),
        submit('Count what would go'),
        html`<p class="hint">Nothing is deleted yet: the next page asks you first.</p>`,
      ])}</section>`

function confirmation(
  visit: Visit,
  at: string,
  { statements, voided, first, last, through }: PreviewDeletionResponse,
  { values, failure }: Deleting,
): Html {
  const amount = counted(statements, 'statement')
  const chosen = fields.filter(([name]) => values(name) !== '')
  return question(
    visit,
    `${at}/deletions`,
    html`<h2>Delete ${amount}?</h2>
      <dl class="facts">${chosen.map(
        ([name, label]) => html`<dt>${label}</dt><dd>${values(name).slice(0, 200)}</dd>`,
      )}${values('from') === 'sandbox' && html`<dt>Sent by</dt><dd>sandbox sessions</dd>`}
      <dt>Stored from</dt><dd>${moment(first)}</dd><dt>to</dt><dd>${moment(last)}</dd>${
        voided > 0 && html`<dt>Voided</dt><dd>${voided} of them go because the statement that voided them goes</dd>`
      }</dl>
      <p>Voided statements are among them. This cannot be undone: first export the statements, if you need them.
      Charts, files and services that follow go on without them. Who has read them keeps them. If one is sent again, it
      is not stored.</p>${[...chosen.map(([name]) => name), 'from'].map((name) => hidden(name, values(name)))}
      ${hidden('statements', statements)}${hidden('through', through)}`,
    `Delete ${amount}`,
    `${at}/deletions`,
    {
      sent: { values, failure },
      fields: [
        { name: 'reason', label: 'Reason', hint: 'For the receipt. Name no learner.', required: true, maxLength: 500 },
      ],
    },
  )
}

function receipts(at: string, deletions: readonly Deletion[]): Html {
  if (deletions.length === 0) return html`<div class="card empty"><p class="muted">Nothing was deleted yet.</p></div>`
  return table(
    'Receipts',
    ['When', 'Who', 'Why', 'Statements', 'Ids'],
    deletions.map((one) => [
      moment(one.began),
      one.by || 'a deleted account',
      one.reason,
      html`${one.statements.toLocaleString('en')}${one.sandbox && ' of the sandbox'}`,
      one.ended === 0n ? 'Running now: reload this page.' : idsOf(`${at}/deletions/${one.deletionId}/ids`, one),
    ]),
  )
}

const idsOf = (path: string, { forwarded }: Deletion): Html =>
  html`<a href="${path}">All of them</a>${forwarded.map(
    ({ forwardId, name, endpoint, statements }) =>
      html`<br><a href="${path}?forward=${forwardId}">${counted(statements, 'statement')}</a> that ${name} may have sent to
      ${URL.parse(endpoint)?.host ?? endpoint}: ask it to delete them.`,
  )}`
