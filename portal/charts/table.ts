import { csvFile } from '../../shared/csv.ts'
import { html, type Html } from '../web/html.ts'
import { amount, duration, signed } from './words.ts'

/** What a number is: `percent` of 0 to 1; `points`: a difference of two of them. */
export type Kind = 'text' | 'count' | 'percent' | 'points' | 'seconds'
export type Cell = string | number | undefined

export interface Column {
  readonly name: string
  readonly kind: Kind
}

export interface Row {
  /** The first one names the row. */
  readonly cells: readonly Cell[]
  /** The statements that it is about. */
  readonly href?: string
}

/** The numbers of a chart. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export const column = (name: string, kind: Kind = 'count'): Column => ({ name, kind })

export function tableHtml({ columns, rows }: Table, title: string): Html {
  const isNumber = ({ kind }: Column) => kind !== 'text'
  const head = columns.map((one) => html`<th scope="col"${isNumber(one) && html` class="number"`}>${one.name}</th>`)
  const body = rows.map(({ cells, href }) => {
    const [name, ...rest] = cells
    const linked = href === undefined ? String(name) : html`<a href="${href}">${String(name)}</a>`
    return html`<tr><th scope="row">${linked}</th>${rest.map((cell, at) => {
      const of = columns[at + 1]!
      return html`<td${isNumber(of) && html` class="number"`}>${told(cell, of.kind)}</td>`
    })}</tr>`
  })
  return html`<div class="table" role="region" aria-label="Table: ${title}" tabindex="0"><table><thead>
            <tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

function told(cell: Cell, kind: Kind): string {
  if (cell === undefined) return '–'
  if (typeof cell === 'string') return cell
  if (kind === 'seconds') return duration(cell)
  if (kind === 'points') return signed(cell)
  return kind === 'percent' ? `${Math.round(cell * 1000) / 10} %` : amount(cell)
}

const units: Partial<Record<Kind, string>> = { percent: ' (percent)', points: ' (points)', seconds: ' (seconds)' }

/**
 * The numbers as they are, with their units in the heading.
 */
export function tableCsv({ columns, rows }: Table): string {
  const head = columns.map(({ name, kind }) => `${name}${units[kind] ?? ''}`)
  const lines = rows.map(({ cells }) =>
    cells.map((cell, at) =>
      typeof cell === 'number' && ['percent', 'points'].includes(columns[at]!.kind)
        ? Math.round(cell * 10_000) / 100
        : cell,
    ),
  )
  return csvFile([head, ...lines])
}
