import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Expired, GetRetentionResponse, RetentionReceipt } from '../../../gen/lrs/v1/retention_pb.js'
import { retention as limits } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { counted, moment } from '../parts/amount.ts'
import { field, postForm, problem, submit } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

/** Whole months; 0: for good. */
export interface Months {
  readonly statementMonths: number
  readonly learnerMonths: number
  readonly sandboxMonths: number
}

/** Fields of the form, in the order in which they are shown. */
export const fields = ['statement_months', 'learner_months', 'sandbox_months'] as const

export interface Keeping {
  readonly failure?: Failure
  readonly values?: Form
  /** The setting to decide on, and what it would remove now. */
  readonly asked?: { readonly months: Months; readonly expired: Expired }
  readonly done?: string
}

/** How long data of a game is kept: the setting, what it would remove, and what was removed. */
export function retentionPage(
  visit: Visit,
  game: Game,
  { retention, receipts }: GetRetentionResponse,
  { failure, values, asked, done }: Keeping = {},
): Html {
  const path = `/games/${game.summary!.gameId}/retention`
  return gameLayout(
    visit,
    game,
    'Data retention',
    html`
      <section class="card" aria-labelledby="now"><h2 id="now">How long data is kept now</h2>${inWords(retention!)}</section>
      ${asked ? question(visit, path, asked.months, asked.expired) : form(path, retention!, { failure, values })}
      <section aria-labelledby="receipts"><h2 id="receipts">What was removed</h2>${receiptList(receipts)}</section>`,
    {
      done,
      styles: ['game.css'],
      lead: 'Data of a game is kept for good, unless you say otherwise here. Older data is then removed each day.',
    },
  )
}

const inWords = ({ statementMonths, learnerMonths, sandboxMonths }: Months): Html =>
  html`<ul><li>Statements of learners: ${forMonths(statementMonths)}</li><li>Learners who were not seen:
      ${forMonths(learnerMonths)}</li><li>Data of the sandbox: ${forMonths(sandboxMonths)}</li></ul>`

const forMonths = (months: number): string => (months === 0 ? 'kept for good' : `kept for ${counted(months, 'month')}`)

function form(path: string, months: Months, { failure, values }: Pick<Keeping, 'failure' | 'values'>): Html {
  const { least, most } = limits.months
  const one = (name: (typeof fields)[number], label: string, hint: string, value: number) =>
    field({
      name,
      label,
      hint,
      type: 'number',
      note: `months, ${least} to ${most}; empty: for good`,
      value: values ? values(name) : value === 0 ? '' : String(value),
      failure,
    })
  return html`<section class="card" aria-labelledby="change"><h2 id="change">Change it</h2>
      <form method="get" action="${path}" class="form">
      ${problem(failure, {
        statement_months: 'Statements of learners',
        learner_months: 'Learners who were not seen',
        sandbox_months: 'Data of the sandbox',
      })}
      ${one(
        'statement_months',
        'Statements of learners',
        'Older ones are removed, day by day, and leave the charts. Saved games and names stay.',
        months.statementMonths,
      )}
      ${one(
        'learner_months',
        'Learners who were not seen',
        'Learners who did nothing for this number of months are ' +
          'forgotten: statements, saved games, name and invitation.',
        months.learnerMonths,
      )}
      ${one(
        'sandbox_months',
        'Data of the sandbox',
        'Statements and saved games of sandbox sessions.',
        months.sandboxMonths,
      )}
      <input type="hidden" name="count" value="yes">
      ${submit('Count what would go')}<p class="hint">Nothing is removed yet: the next page asks you
      first.</p></form></section>`
}

function question(visit: Visit, path: string, months: Months, expired: Expired): Html {
  const hidden = [months.statementMonths, months.learnerMonths, months.sandboxMonths].map(
    (value, n) => html`<input type="hidden" name="${fields[n]}" value="${value === 0 ? '' : value}">`,
  )
  const isNothing = numbers(expired).every(([, count]) => count === 0n)
  return html`<section class="card" aria-labelledby="ask"><h2 id="ask">From now on?</h2>${inWords(months)}
      ${
        isNothing
          ? html`<p>No data is that old today. From now on, data that gets older is removed each day.</p>`
          : html`<p><strong>This removes at once, for good:</strong></p>${factsOf(expired)}${
              expired.more && html`<p class="hint">There is more: counting stopped at a limit.</p>`
            }
        <p>This cannot be undone: first save what you need. A service that has read the statements keeps
        what it has.</p>`
      }
      ${postForm(
        visit,
        path,
        html`${hidden}${submit(isNothing ? 'Save' : 'Remove it, and older data each day', {
          className: isNothing ? '' : 'danger',
          beside: html`<a class="button quiet" href="${path}">Cancel</a>`,
        })}`,
      )}</section>`
}

const numbers = (expired: Expired): (readonly [what: string, count: bigint])[] => [
  ['Statements of learners', expired.statements],
  ['Learners', expired.learners],
  ['Saved games and other documents', expired.documents],
  ['Statements of the sandbox', expired.sandboxStatements],
  ['Documents of the sandbox', expired.sandboxDocuments],
]

function factsOf(expired: Expired): Html {
  const rows = numbers(expired).filter(([, count]) => count > 0n)
  return html`<dl class="facts">${rows.map(
    ([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString('en')}</dd>`,
  )}${
    expired.statements > 0n &&
    html`<dt>Stored from</dt><dd>${moment(expired.first)}</dd><dt>to</dt><dd>${moment(expired.last)}</dd>`
  }</dl>`
}

function receiptList(receipts: readonly RetentionReceipt[]): Html {
  if (receipts.length === 0)
    return html`<div class="card empty"><p class="muted">Nothing yet. Each time that something is removed, a receipt
      with the numbers is listed here.</p></div>`
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">When</th>
      <th scope="col" class="number">Statements</th><th scope="col">Stored</th>
      <th scope="col" class="number">Learners</th><th scope="col" class="number">Documents</th>
      <th scope="col" class="number">Of the sandbox</th></tr></thead>
      <tbody>${receipts.map(({ began, expired }) =>
        expired
          ? html`<tr><th scope="row">${moment(began)}</th>
          <td data-heading="Statements" class="number">${expired.statements.toLocaleString('en')}</td>
        <td data-heading="Stored">${
          expired.statements > 0n ? html`${moment(expired.first)} to ${moment(expired.last)}` : '–'
        }</td>
        <td data-heading="Learners" class="number">${expired.learners.toLocaleString('en')}</td>
        <td data-heading="Documents" class="number">${expired.documents.toLocaleString('en')}</td>
        <td data-heading="Of the sandbox" class="number">${(
          expired.sandboxStatements + expired.sandboxDocuments
        ).toLocaleString('en')}</td></tr>`
          : html`<tr><th scope="row">${moment(began)}</th><td colspan="5">Running now: reload this page for the
          numbers.</td></tr>`,
      )}</tbody></table></div>`
}
