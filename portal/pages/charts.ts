import { html, type Html } from '../html.ts'

/*
 * Charts as SVG without a viewBox. Horizontal positions are in percent, so a chart fills the width while its texts keep
 * their size. data.css has paddings, heights and colours. Every chart comes with a table.
 */

export interface Series {
  readonly name: string
  readonly values: readonly number[]
}

export interface Chart {
  /** Its id in the page. */
  readonly id: string
  readonly title: string
  /** A summary for screen readers. */
  readonly summary: string
  /** Heading of the first column. */
  readonly of: string
  /** One for each value. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** It counts errors. */
  readonly tone?: 'bad'
}

/** Bars side by side; several series are stacked. */
export function bars(chart: Chart): Html {
  const totals = chart.labels.map((_, at) => chart.series.reduce((sum, { values }) => sum + values[at]!, 0))
  const top = roundTop(Math.max(...totals))
  const step = 100 / chart.labels.length
  const gap = Math.min(step * 0.3, 1.2)
  const column = (label: string, at: number) => {
    let below = 0
    const boxes = chart.series.map(({ values }, series) => {
      const height = (values[at]! / top) * 100
      below += height
      return (
        height > 0 &&
        html`<rect class="s${series + 1}" x="${percent(at * step + gap / 2)}" y="${percent(100 - below)}" width="${percent(step - gap)}" height="${percent(height)}" rx="2"/>`
      )
    })
    return totals[at]! > 0 && html`<g>${boxes}<title>${label}: ${told(chart.series, at)}</title></g>`
  }
  return figure(chart, top, html`${chart.labels.map(column)}`, (at) => at * step + step / 2)
}

/** Lines over time, the area below the first one filled. The others are dashed, so that equal lines are all seen. */
export function lines(chart: Chart): Html {
  const top = roundTop(Math.max(...chart.series.flatMap(({ values }) => values)))
  const count = chart.labels.length
  const across = (at: number) => ((at + 0.5) / count) * 100
  const path = (values: readonly number[]) =>
    values
      .map((value, at) => `${at === 0 ? 'M' : 'L'}${number(across(at))} ${number(100 - (value / top) * 100)}`)
      .join('')
  const area = ({ values }: Series) =>
    html`<path class="area s1" d="${path(values)}L${number(across(count - 1))} 100L${number(across(0))} 100Z"/>`
  const stroke = ({ values }: Series, at: number) =>
    html`<path class="line s${at + 1}" d="${path(values)}" vector-effect="non-scaling-stroke"/>`
  const column = (label: string, at: number) =>
    html`<g class="look"><rect x="${percent((at / count) * 100)}" y="0" width="${percent(100 / count)}" height="100%"/>${chart.series.map(
      ({ values }, series) =>
        html`<circle class="s${series + 1}" cx="${percent(across(at))}" cy="${percent(100 - (values[at]! / top) * 100)}" r="3.5"/>`,
    )}<title>${label}: ${told(chart.series, at)}</title></g>`
  return figure(
    chart,
    top,
    html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none">${area(chart.series[0]!)}${chart.series.map(stroke)}</svg>${chart.labels.map(column)}`,
    across,
    (at) => html`<line class="line s${at + 1}" x1="0" x2="24" y1="6" y2="6"/>`,
  )
}

export interface Histogram {
  readonly id: string
  readonly title: string
  readonly summary: string
  /** Ten bins from 0 to 100 %. */
  readonly counts: readonly number[]
  /** 0 to 1; where the mean is marked. */
  readonly mean: number
}

/** A small histogram of scores. Its table is elsewhere. */
export function histogram({ id, title, summary, counts, mean }: Histogram): Html {
  const top = Math.max(...counts, 1)
  const step = 100 / counts.length
  const column = (count: number, at: number) => {
    const height = Math.max((count / top) * 100, count > 0 ? 3 : 0)
    return (
      count > 0 &&
      html`<g><rect class="s1" x="${percent(at * step + 0.5)}" y="${percent(100 - height)}" width="${percent(step - 1)}" height="${percent(height)}" rx="2"/><title>${
        at * step
      } to ${(at + 1) * step} %: ${count}</title></g>`
    )
  }
  const place = percent(Math.min(1, Math.max(0, mean)) * 100)
  return html`<svg class="chart histogram" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${summary}</desc>
            <line class="base" x1="0" x2="100%" y1="100%" y2="100%"/>${counts.map(column)}<line class="mean" x1="${place}" x2="${place}" y1="-4" y2="100%"/>
            ${[0, 50, 100].map((at) => html`<text class="tick" x="${at}%" y="100%" dy="1.4em" text-anchor="${at === 0 ? 'start' : at === 50 ? 'middle' : 'end'}">${at}${at === 100 && ' %'}</text>`)}</svg>`
}

/** A bar in a row of a table. The numbers are in the next cells. */
export function inlineBar(shares: readonly number[]): Html {
  let before = 0
  const part = (share: number, at: number) => {
    const x = before
    before += share
    return (
      share > 0 &&
      html`<rect class="s${at + 1}" x="${percent(x * 100)}" width="${percent(share * 100)}" height="100%"/>`
    )
  }
  return html`<svg class="inline-bar" aria-hidden="true">${shares.map(part)}</svg>`
}

const box = (at: number) => html`<rect class="s${at + 1}" width="12" height="12" rx="3"/>`

/** What the colours mean. @param mark how a series is drawn */
export const legend = (names: readonly string[], mark: (at: number) => Html = box): Html =>
  html`<ul class="legend chart">${names.map((name, at) => html`<li><svg aria-hidden="true" width="${mark === box ? 12 : 24}" height="12">${mark(at)}</svg> ${name}</li>`)}</ul>`

function figure(
  { id, title, summary, of, labels, series, tone }: Chart,
  top: number,
  content: Html,
  across: (at: number) => number,
  mark?: (at: number) => Html,
): Html {
  const grid = [0, 0.5, 1].map((part) => {
    const y = percent(100 - part * 100)
    return html`<line class="${part === 0 ? 'base' : 'guide'}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="tick" x="-8" y="${y}" dy="0.32em" text-anchor="end">${short(top * part)}</text>`
  })
  const every = Math.max(1, Math.ceil(labels.length / 8))
  const ticks = labels.map((label, at) => {
    const fromEnd = labels.length - 1 - at
    return (
      fromEnd % every === 0 &&
      html`<text class="tick${(fromEnd / every) % 2 === 1 && ' minor'}" x="${percent(across(at))}" y="100%" dy="1.6em" text-anchor="middle">${label}</text>`
    )
  })
  return html`<figure class="figure">
          ${
            series.length > 1 &&
            legend(
              series.map(({ name }) => name),
              mark,
            )
          }
          <svg class="chart${tone && ` ${tone}`}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${summary}</desc>
            ${grid}${content}${ticks}</svg>
          ${figures(title, of, labels, series)}
        </figure>`
}

function figures(title: string, of: string, labels: readonly string[], series: readonly Series[]): Html {
  const row = (label: string, at: number) =>
    html`<tr><th scope="row">${label}</th>${series.map(({ values }) => html`<td class="number">${values[at]!.toLocaleString('en')}</td>`)}</tr>`
  return html`<details class="figures"><summary>As a table<span class="visually-hidden">: ${title}</span></summary>
            <div class="table" role="region" aria-label="Table: ${title}" tabindex="0"><table>
              <thead><tr><th scope="col">${of}</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
              <tbody>${labels.map(row)}</tbody></table></div></details>`
}

const told = (series: readonly Series[], at: number): string =>
  series.map(({ name, values }) => `${values[at]!.toLocaleString('en')} ${name.toLowerCase()}`).join(', ')

/** The next round number whose half is a whole number. */
export function roundTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
    .map((factor) => Math.round(factor * power))
    .find((top) => top >= most && top % 2 === 0)!
}

const short = (value: number): string => value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })
const number = (value: number): string => String(Math.round(value * 100) / 100)
const percent = (value: number): string => `${number(value)}%`
