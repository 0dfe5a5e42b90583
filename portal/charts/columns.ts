import { html, type Html } from '../web/html.ts'
import { mark, plain, type Drawing } from './chart.ts'
import { percent, roundTop } from './scale.ts'
import { amount, short } from './words.ts'

export interface Series {
  readonly name: string
  /** One for each label. */
  readonly values: readonly number[]
}

export interface OverLabels {
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** How a value is told; default: as a number. */
  readonly tell?: (value: number) => string
  /** The end of the axis; default: the next round number. */
  readonly top?: number
  /** What happened at a label, such as a release: a thin line with a text. */
  readonly events?: readonly { readonly at: number; readonly text: string }[]
  /** How numbers beside the axis are told. */
  readonly tick?: (value: number) => string
}

export const plotHeight = 200

/** Columns over labels; those of several series stand side by side. */
export function columns(of: OverLabels): Drawing {
  const { labels, series, tell = amount } = of
  const top = topOf(of)
  const step = 100 / labels.length
  const gap = Math.min(step * 0.25, 1.2)
  const width = (step - gap) / series.length
  const group = (label: string, at: number) => {
    const boxes = series.map(({ values }, index) => {
      const value = values[at]!
      const height = value > 0 ? Math.max((value / top) * plotHeight, 1) : 0
      const left = at * step + gap / 2 + index * width
      return (
        height > 0 &&
        html`<rect class="${plain[index]}" x="${percent(left)}" y="${percent(100 - (height / plotHeight) * 100)}"
        width="${percent(width)}" height="${percent((height / plotHeight) * 100)}" rx="2"/>`
      )
    })
    const hit = html`<rect class="hit" x="${percent(at * step)}" y="0" width="${percent(step)}" height="100%"/>`
    return mark(at, toldAt(of, label, at, tell), html`${hit}${boxes}`)
  }
  return {
    frame: 'axes',
    height: plotHeight,
    content: html`${axes(of, top)}${labels.map(group)}`,
    ...(series.length > 1 ? { legend: Object.fromEntries(series.map(({ name }, at) => [plain[at], name])) } : {}),
  }
}

export const topOf = ({ series, top }: OverLabels): number =>
  top ?? roundTop(Math.max(0, ...series.flatMap(({ values }) => values)))

export const toldAt = (
  { series, events = [] }: OverLabels,
  label: string,
  at: number,
  tell: (value: number) => string,
): string =>
  `${[label, ...events.filter((event) => event.at === at).map(({ text }) => `release of ${text}`)].join(', ')}: ${series
    .map(({ name, values }) => (name === '' ? tell(values[at]!) : `${name} ${tell(values[at]!)}`))
    .join(', ')}`

/** Lines behind the data with their numbers, and the labels that fit; every second one only where there is room. */
export function axes({ labels, events = [], tick = short }: OverLabels, top: number): Html {
  const guides = [0, 0.5, 1].map((part) => {
    const y = percent(100 - part * 100)
    return html`<line class="${part === 0 ? 'base' : 'guide'}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="tick"
      x="-8" y="${y}" dy="0.32em" text-anchor="end">${tick(top * part)}</text>`
  })
  const every = Math.max(1, Math.ceil(labels.length / 6))
  const names = labels.map((label, at) => {
    const fromEnd = labels.length - 1 - at
    // the last one of many would stand out of the card
    const isEnd = fromEnd === 0 && labels.length > 12
    const x = isEnd ? '100%' : percent(((at + 0.5) / labels.length) * 100)
    return (
      fromEnd % every === 0 &&
      html`<text class="tick${(fromEnd / every) % 2 === 1 && labels.length > 5 && ' minor'}" x="${x}" y="100%"
      dy="1.6em" text-anchor="${isEnd ? 'end' : 'middle'}">${label}</text>`
    )
  })
  const middleOf = (label: number) => ((label + 0.5) / labels.length) * 100
  return html`<g aria-hidden="true">${guides}${names}${events.map(({ at, text }, place) => {
    const [x, next] = [middleOf(at), middleOf(events[place + 1]?.at ?? Infinity)]
    const isLate = x > 75
    const cut = text.length > longestEvent ? `${text.slice(0, longestEvent - 1)}…` : text
    return html`<line class="event" x1="${percent(x)}" x2="${percent(x)}" y1="-12" y2="100%"/>${
      next - x >= apart &&
      html`<text class="event" x="${percent(x)}" dx="${isLate ? -4 : 4}" y="-4"
      text-anchor="${isLate ? 'end' : 'start'}">${cut}</text>`
    }`
  })}</g>`
}

/** Letters of an event's text that are shown; percent of the width between two events that both show one. */
const longestEvent = 14
const apart = 25
