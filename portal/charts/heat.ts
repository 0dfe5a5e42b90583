import { html } from '../web/html.ts'
import { mark, type Drawing } from './chart.ts'
import { percent } from './scale.ts'

export interface HeatRow {
  /** Beside the row. */
  readonly label: string
  /** Its whole name, if the label is a part of it. */
  readonly told?: string
  readonly cells: readonly HeatCell[]
}

export interface HeatCell {
  /** 0 to 1: how dark it is; undefined: it is not known yet. */
  readonly share: number | undefined
  readonly text: string
  /** In a second line. */
  readonly below?: string
  readonly told: string
}

const rowHeight = 34

/** A table of cells that are the darker the more; each has its number in it. */
export function heat(columns: readonly string[], rows: readonly HeatRow[]): Drawing {
  const step = 100 / columns.length
  const heads = columns.map(
    (name, at) => html`<text class="tick" x="${percent((at + 0.5) * step)}" y="-8" text-anchor="middle">${name}</text>`,
  )
  let marks = 0
  const drawn = rows.map(({ label, told: whole = label, cells }, row) => {
    const y = row * rowHeight
    const boxes = cells.map(({ share, text, below, told }, at) => {
      const middle = html`x="${percent((at + 0.5) * step)}" text-anchor="middle" aria-hidden="true"`
      const x = percent(at * step + 0.3)
      const box =
        share === undefined
          ? html`<rect class="unknown" x="${x}" y="${y + 2}" width="${percent(step - 0.6)}"
          height="${rowHeight - 4}" rx="4"/>`
          : html`<rect class="reached" fill-opacity="${
              Math.round((0.06 + Math.min(1, Math.max(0, share)) * 0.5) * 100) / 100
            }" x="${x}" y="${y + 2}" width="${percent(step - 0.6)}" height="${rowHeight - 4}" rx="4"/>`
      return mark(
        marks++,
        `${whole}, ${columns[at]}: ${told}`,
        html`${box}<text class="cell" y="${y + rowHeight / 2}" dy="${
          below === undefined ? '0.34em' : '-0.08em'
        }" ${middle}>${text}</text>${
          below !== undefined &&
          html`<text class="value" y="${y + rowHeight / 2}" dy="1.05em" ${middle}>${below}</text>`
        }`,
      )
    })
    return html`<text class="label" x="-10" y="${y + rowHeight / 2}" dy="0.34em" text-anchor="end"
      aria-hidden="true">${label}</text>${boxes}`
  })
  return {
    frame: 'heat',
    height: Math.max(rows.length, 1) * rowHeight,
    content: html`<g aria-hidden="true">${heads}</g>${drawn}`,
  }
}
