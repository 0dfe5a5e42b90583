import { html } from '../web/html.ts'
import { mark, plain, type Drawing } from './chart.ts'
import { axes, plotHeight, toldAt, topOf, type OverLabels, type Series } from './columns.ts'
import { number, percent } from './scale.ts'
import { amount } from './words.ts'

/** Between names, in pixels. */
const apart = 16
/** Letters of a name that fit beside the plot. */
const longest = 11

/** Lines over time, each with its name at its end. The second one is dashed, so that equal lines are both seen. */
export function lines(of: OverLabels): Drawing {
  const { labels, series, tell = amount } = of
  const top = topOf(of)
  const across = (at: number) => ((at + 0.5) / labels.length) * 100
  const up = (value: number) => 100 - (value / top) * 100
  const path = (values: readonly number[]) =>
    values.map((value, at) => `${at === 0 ? 'M' : 'L'}${number(across(at))} ${number(up(value))}`).join('')
  const [first] = series
  const area = html`<path class="area neutral"
      d="${path(first!.values)}L${number(across(labels.length - 1))} 100L${number(across(0))} 100Z"/>`
  const strokes = series.map(
    ({ values }, at) => html`<path class="line ${plain[at]}" d="${path(values)}" vector-effect="non-scaling-stroke"/>`,
  )
  const look = (label: string, at: number) => {
    const hit = html`<rect class="hit" x="${percent((at / labels.length) * 100)}" y="0"
      width="${percent(100 / labels.length)}" height="100%"/>`
    const dots = series.map(
      ({ values }, index) =>
        html`<circle class="${plain[index]}" cx="${percent(across(at))}" cy="${percent(up(values[at]!))}"
        r="${labels.length === 1 ? 5 : 3.5}"/>`,
    )
    return mark(at, toldAt(of, label, at, tell), html`${hit}${dots}`)
  }
  return {
    frame: series.some(({ name }) => name !== '') ? 'lines' : 'axes',
    height: plotHeight,
    content: html`${axes(of, top)}<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none"
      aria-hidden="true">${area}${strokes}</svg><g
      class="${labels.length === 1 ? 'looks single' : 'looks'}">${labels.map(look)}</g>${names(series, top)}`,
  }
}

/** Names beside the ends of the lines, as far apart as letters are high. */
function names(series: readonly Series[], top: number) {
  const ends = series
    .map(({ name, values }, at) => ({ name, at, y: plotHeight * (1 - (values.at(-1) ?? 0) / top) }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => a.y - b.y)
  let free = 0
  return html`<g aria-hidden="true">${ends.map(({ name, at, y }, place) => {
    const lowest = plotHeight - (ends.length - 1 - place) * apart
    free = Math.max(free, Math.min(y, lowest))
    const text = html`<text class="name ${plain[at]}" x="100%" dx="8" y="${number(free)}" dy="0.32em">${
      name.length > longest ? `${name.slice(0, longest - 1)}…` : name
    }</text>`
    free += apart
    return text
  })}</g>`
}
