import { ExportFormat, ExportState, Pseudonyms, type Export } from '../../../gen/lrs/v1/exports_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { exports as limits } from '../../../shared/limits.ts'
import { filterFields } from '../../../shared/statement-filters.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { counted, inBytes, moment } from '../parts/amount.ts'
import { dataPath } from '../parts/data-view.ts'
import { postForm, button } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { filesPath } from '../records/take-statements.ts'

/** A file that is too large to be sent at once. */
export interface Offer {
  /** The fields of its form, by name. */
  readonly fields: Readonly<Record<string, string>>
  readonly text: string
}

/** The files of a game's statements that were asked for. @param offer of another one */
export function statementFilesPage(visit: Visit, game: Game, files: readonly Export[], offer?: Offer): Html {
  const statements = dataPath(game, 'statements', { sandbox: false, days: 30 })
  return gameLayout(
    visit,
    game,
    'Files of statements',
    html`
      ${
        offer &&
        html`<section class="card" aria-labelledby="offer">
        <h2 id="offer">More than ${limits.direct.toLocaleString('en')} statements</h2>
        <p>${offer.text} The service can make it while you do something else, and tells you when it is ready.</p>
        ${postForm(
          visit,
          filesPath(game),
          html`${Object.entries(offer.fields).map(
            ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
          )}
          <div class="actions"><button>Make the file</button> <a class="button quiet" href="${statements}">Back to the
          statements</a></div>`,
        )}</section>`
      }
      ${
        files.length === 0
          ? !offer &&
            html`<div class="card empty"><h2>No files yet</h2><p>Filter the statements, then export them.
            Files with more than ${limits.direct.toLocaleString('en')} statements are made in the background and
            appear here.</p>
        <p class="actions"><a class="button" href="${statements}">Go to the statements</a></p></div>`
          : html`<section class="card" aria-labelledby="files"><h2 id="files">Files</h2>
        <div class="table" role="region" aria-label="Table of files" tabindex="0"><table class="stack">
          <thead><tr><th scope="col">File</th><th scope="col">Asked for</th><th scope="col">State</th><th scope="col">
          <span class="visually-hidden">What to do</span></th></tr></thead>
          <tbody>${files.map((file) => row(visit, game, file))}</tbody></table></div>
        <p class="hint more">A file is kept for ${limits.keptDays} days. Members of your studio can download
        it.</p></section>`
      }`,
    {
      styles: ['data.css'],
      trail: [{ href: statements, text: 'Statements' }],
    },
  )
}

function row(visit: Visit, game: Game, file: Export): Html {
  const { exportId, sandbox, filters, form, created, state } = file
  const at = `${filesPath(game)}/${exportId}`
  const isOpen = state === ExportState.WAITING || state === ExportState.RUNNING
  const used = filterFields.filter(([name]) => filters?.[name]).map(([, { words }]) => words)
  const what = [
    formats[form?.format ?? ExportFormat.NDJSON],
    sandbox ? 'of the sandbox' : '',
    form?.pseudonyms === Pseudonyms.NONE ? '' : 'with pseudonyms',
    used.length > 0 ? `filtered by ${used.join(', ')}` : '',
  ]
  return html`
            <tr><th scope="row">${what.filter((part) => part !== '').join(', ')}</th>
            <td data-heading="Asked for">${moment(created)}</td>
              <td data-heading="State">${stateOf(file)}</td>
              <td class="change">${
                state === ExportState.READY &&
                html`<a class="button small" href="${at}">Download<span class="visually-hidden"> the file of
                ${moment(created)}</span></a> `
              }
                ${
                  (isOpen || state === ExportState.READY) && button(visit, `${at}/remove`, isOpen ? 'Cancel' : 'Remove')
                }</td></tr>`
}

function stateOf({ state, statements, bytes, problem, keptUntil }: Export): Html {
  const size = html`${counted(statements, 'statement')}, ${inBytes(bytes)}`
  switch (state) {
    case ExportState.WAITING:
      return html`Waiting for its turn`
    case ExportState.RUNNING:
      return html`Being made: ${size} so far`
    case ExportState.READY:
      return html`Ready: ${size}. Kept until ${moment(keptUntil)}`
    case ExportState.FAILED:
      return html`Failed: ${problem}`
    default:
      return html`Cancelled`
  }
}

const formats: Readonly<Record<ExportFormat, string>> = {
  [ExportFormat.UNSPECIFIED]: 'NDJSON',
  [ExportFormat.NDJSON]: 'NDJSON',
  [ExportFormat.JSON]: 'JSON',
  [ExportFormat.CSV]: 'CSV',
  [ExportFormat.PARQUET]: 'Parquet',
}
