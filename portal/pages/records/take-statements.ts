import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { exports as limits } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { field, select } from '../parts/form.ts'

/** What a file of statements can be. */
export const fileKinds = {
  csv: { text: 'Table (CSV), for spreadsheets', ending: 'csv', type: 'text/csv; charset=utf-8' },
  ndjson: { text: 'One statement a line (NDJSON), as stored', ending: 'ndjson', type: 'application/x-ndjson' },
  json: { text: 'JSON, as stored', ending: 'json', type: 'application/json' },
  parquet: { text: 'Parquet, for data analysis', ending: 'parquet', type: 'application/vnd.apache.parquet' },
} as const

export type FileKind = keyof typeof fileKinds
export const isFileKind = (text: string): text is FileKind => Object.hasOwn(fileKinds, text)

const learners = [
  { value: '', text: 'With their names and accounts' },
  { value: 'export', text: 'Pseudonyms, for this file only' },
  { value: 'game', text: 'Pseudonyms, the same in every file of this game' },
]

/** The address of the file. */
const takePath = (game: Game): string => dataPath(game, 'statements', { sandbox: false, days: 30 }) + '/take'

/** The address of the files that are made in the background. */
export const filesPath = (game: Game): string => dataPath(game, 'statements', { sandbox: false, days: 30 }) + '/files'

/** The form that takes the statements of the page's filters along. @param filters of the page, by name */
export function takeForm(
  game: Game,
  { sandbox }: Pick<DataView, 'sandbox'>,
  filters: Readonly<Record<string, string>>,
): Html {
  return html`<details class="card filter take"><summary>Export these statements</summary>
        <form method="get" action="${takePath(game)}">
          ${sandbox && html`<input type="hidden" name="from" value="sandbox">`}
          ${Object.entries(filters).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
          ${select({
            name: 'as',
            label: 'File',
            hint: 'All that the filters show, the oldest first.',
            of: Object.entries(fileKinds).map(([value, { text }]) => ({ value, text })),
          })}
          ${select({
            name: 'learners',
            label: 'Learners',
            hint: 'Pseudonyms replace names, accounts, ids and sessions.',
            of: learners,
          })}
          ${field({
            name: 'columns',
            label: 'Extensions as columns',
            hint: `Of tables: up to ${limits.extensions} IRIs, with spaces between.`,
            type: 'search',
            maxLength: 4_000,
          })}
          <div class="actions">
            <p><label class="option"><input type="checkbox" name="bare"
            value="yes"> With pseudonyms: leave out responses and
            extensions</label></p>
            <p class="hint">This service cannot know whether your game writes names into responses, extensions or the
            IRIs of activities. Look into the file before you pass it on, or leave out responses and extensions.
            Files with pseudonyms have no attachments and no signatures. Members of the studio can still find a learner
            by the time of a statement.</p>
            <button>Export</button> <a class="button quiet" href="${filesPath(game)}">Files made before</a></div>
        </form></details>`
}
