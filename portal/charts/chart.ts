import { html, type Html } from '../web/html.ts'
import { tableHtml, type Table } from './table.ts'

/*
 * Charts are SVG without a viewBox: horizontal positions are in percent of the plot and vertical ones in pixels, so a
 * chart fills the width while its texts keep their size. charts.css has colours and paddings; each chart has its
 * numbers as a table, an address, and downloads.
 */

/** What a colour means, the same in every chart; charts.css has the colours. `further`: a second neutral one. */
export type Meaning = 'reached' | 'stuck' | 'left' | 'neutral' | 'further'
/** In the order in which they are drawn. */
export type Parts<Of> = Readonly<Partial<Record<Meaning, Of>>>
export const partsOf = <Of>(parts: Parts<Of>) => Object.entries(parts) as [Meaning, Of][]
/** Colours of series that have no meaning but their names. */
export const plain = ['neutral', 'further'] as const

/** Room around the plot for texts of axes, in pixels; charts.css has the same as paddings. */
export const frames = {
  axes: { top: 14, right: 8, bottom: 30, left: 42 },
  lines: { top: 14, right: 78, bottom: 30, left: 42 },
  rows: { top: 0, right: 0, bottom: 0, left: 0 },
  boxes: { top: 0, right: 8, bottom: 26, left: 8 },
  heat: { top: 24, right: 0, bottom: 0, left: 144 },
} as const

export interface Drawing {
  readonly frame: keyof typeof frames
  /** Of the plot, in pixels. */
  readonly height: number
  readonly content: Html
  /** What the colours mean, where no label beside them says it. */
  readonly legend?: Parts<string | undefined>
}

export interface Chart {
  /** In its address. */
  readonly id: string
  /** The IRI of the activity that it is about, if its page has such a chart of several. */
  readonly of?: string
  /** The question that it answers. */
  readonly title: string
  /** One of many small cards: what it shows in place of title and answer, which stand in its details. */
  readonly small?: { readonly title: string; readonly answer: string }
  /** The answer, in a sentence or two. */
  readonly answer: string
  /** Below the drawing: links to others of its kind. */
  readonly others?: Html
  /** Which statements feed it, and what cannot be read off it. */
  readonly source: string
  /** Undefined: there is nothing to draw. */
  readonly drawing: Drawing | undefined
  readonly table: Table
  /** What to do when there is nothing to draw. */
  readonly empty: Html
}

/** Addresses of one chart. */
export interface ChartLinks {
  readonly alone: string
  readonly csv: string
  readonly svg: string
}

/** A mark of a chart with its text, which arrow keys, a mouse or a finger show. */
export const mark = (at: number, told: string, shapes: Html): Html =>
  html`<g class="mark" role="img" tabindex="${at === 0 ? '0' : '-1'}"><title>${told}</title>${shapes}</g>`

/** The chart in a page, under its question. @param id in the page @param links undefined: it is an example */
export function chartCard(chart: Chart, id: string, links?: ChartLinks, isAlone = false): Html {
  const { title, answer, others, source, drawing, table, empty } = chart
  const small = isAlone ? undefined : chart.small
  const name = small?.title ?? title
  const heading = html`<h2 id="${id}">${links && !isAlone ? html`<a href="${links.alone}">${name}</a>` : name}</h2>`
  if (!drawing)
    return html`<section class="card question" aria-labelledby="${id}">${heading}<div
      class="muted">${empty}</div></section>`
  const file = (href: string, form: string) =>
    html`<a href="${href}" download>${form}<span class="visually-hidden"> of ${title}</span></a>`
  const files = links && html`<p class="files">${file(links.csv, 'CSV')} ${file(links.svg, 'SVG')}</p>`
  const told = html`<p class="answer" id="${id}-answer">${answer.replaceAll(' %', '\u00a0%')}</p>`
  const figure = html`<figure class="figure">${drawing.legend && !small && legend(drawing.legend)}${drawingSvg(
    id,
    drawing,
  )}</figure>`
  if (small)
    return html`<section class="card question small" aria-labelledby="${id}">${heading}${figure}
        <details class="figures"><summary>${small.answer}<span class="visually-hidden">: ${title}</span></summary>
        ${told}${tableHtml(table, title)}<p class="hint">${source}</p>${files}</details></section>`
  return html`<section class="card question" aria-labelledby="${id}">${heading}
        ${told}${figure}${others}
        <div class="below">${folded('As a table', title, tableHtml(table, title))}${folded(
          'What counts',
          title,
          html`<p class="hint">${source}</p>`,
        )}${files}</div></section>`
}

const folded = (name: string, title: string, content: Html): Html =>
  html`<details class="figures"><summary>${name}<span class="visually-hidden">: ${title}</span></summary>
        ${content}</details>`

function drawingSvg(id: string, { frame, height, content }: Drawing): Html {
  const { top, bottom } = frames[frame]
  const told = html`role="group" aria-labelledby="${id}" aria-describedby="${id}-answer"`
  return html`<svg class="chart ${frame}" height="${height + top + bottom}" ${told}>${content}</svg>`
}

/** What the colours mean. */
export const legend = (names: Parts<string | undefined>): Html =>
  html`<ul class="legend">${partsOf(names).map(
    ([meaning, name]) =>
      name !== undefined &&
      html`<li><svg aria-hidden="true" width="12" height="12"><rect class="${meaning}" width="12" height="12"
      rx="3"/></svg> ${name}</li>`,
  )}</ul>`
