import { html, type Html } from '../web/html.ts'
import { mark, partsOf, type Drawing, type Meaning, type Parts } from './chart.ts'
import { number, percent } from './scale.ts'

/** A bar of a row. */
export interface Bar {
  /** What it is of, where a row has several. */
  readonly name: string
  /** Lengths of its parts, all on the same scale. */
  readonly parts: Parts<number>
  /** Beside the label, in few words. */
  readonly value: string
  /** All of it in words. */
  readonly told: string
}

/** Half of the values are in the box; one of all is its middle. */
export interface Box {
  readonly name: string
  readonly low: number
  readonly middle: number
  readonly high: number
  readonly value: string
  readonly told: string
}

export interface Labelled<Of> {
  readonly label: string
  /** Where the label leads. */
  readonly href?: string
  /** At the right of a label that is alone on its line. */
  readonly beside?: { readonly text: string; readonly meaning?: Meaning }
  /** One, or one for each of two builds. */
  readonly of: readonly Of[]
}

/** Rows that a chart draws; its table has all. */
export const mostRows = 20

/** Letters of a label that fit beside a value on a phone; a longer one is alone on its line. */
const besides = 22
/** Letters that fit into a line. */
const longest = 38
const line = 19
/** Pixels of a bar and below it, in a chart of its own and in one of many small ones. */
const sizes = { usual: { thick: 12, between: 10 }, small: { thick: 7, between: 5 } } as const

/**
 * Bars below their labels, so that long names fit on a phone.
 * @param whole how long a full bar is; default: the longest
 */
export function rows(
  labelled: readonly Labelled<Bar>[],
  legend?: Drawing['legend'],
  whole?: number,
  size: keyof typeof sizes = 'usual',
): Drawing {
  const { thick } = sizes[size]
  const shown = labelled.slice(0, mostRows)
  const lengths = shown.flatMap(({ of }) =>
    of.map(({ parts }) => Object.values(parts).reduce((sum, part) => sum + part, 0)),
  )
  const top = whole ?? (Math.max(...lengths, 0) || 1)
  const drawn = under(shown, sizes[size], ({ parts }, y) => {
    let before = 0
    return html`<rect class="track" x="0" y="${y}" width="100%" height="${thick}" rx="3"/>${partsOf(parts).map(
      ([meaning, part]) => {
        const x = before
        before += part
        return (
          part > 0 &&
          html`<rect class="${meaning} part" x="${percent((x / top) * 100)}" y="${y}"
        width="${percent((part / top) * 100)}" height="${thick}" rx="2"/>`
        )
      },
    )}`
  })
  return { frame: 'rows', ...drawn, ...(legend ? { legend } : {}) }
}

/** Median and quartiles of each row on one axis. @param range its ends */
export function boxes(
  labelled: readonly Labelled<Box>[],
  [from, to]: readonly [number, number],
  tick: (value: number) => string,
): Drawing {
  const across = (value: number) => ((value - from) / (to - from || 1)) * 100
  const { thick } = sizes.usual
  const { height, content } = under(labelled.slice(0, mostRows), sizes.usual, ({ low, middle, high }, y) => {
    const [left, right] = [across(low), across(high)]
    const at = percent(across(middle))
    return html`<line class="base" x1="0" x2="100%" y1="${y + thick / 2}" y2="${y + thick / 2}"/><rect
      class="neutral box"
      x="${percent(left)}" y="${y}" width="${percent(Math.max(right - left, 0.4))}" height="${thick}" rx="2"/><line
      class="middle" x1="${at}" x2="${at}" y1="${y - 3}" y2="${y + thick + 3}"/>`
  })
  const ticks = [0, 0.5, 1].map((part) => {
    const x = percent(part * 100)
    const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle'
    return html`<line class="guide" x1="${x}" x2="${x}" y1="0" y2="100%"/><text class="tick" x="${x}" y="100%"
      dy="1.3em" text-anchor="${anchor}">${tick(from + (to - from) * part)}</text>`
  })
  return { frame: 'boxes', height, content: html`<g aria-hidden="true">${ticks}</g>${content}` }
}

/** Each row: its label, then what is drawn of it, with its value at the right. */
function under<Of extends { readonly name: string; readonly value: string; readonly told: string }>(
  shown: readonly Labelled<Of>[],
  { thick, between }: (typeof sizes)[keyof typeof sizes],
  draw: (of: Of, y: number) => Html,
): { height: number; content: Html } {
  let y = 0
  let marks = 0
  const isPair = shown.some(({ of }) => of.length > 1)
  const content = shown.map(({ label, href, beside, of }) => {
    const begin = y
    const isAbove = isPair || label.length > besides
    const text = html`<text class="label" x="0" y="14">${
      label.length > longest ? `${label.slice(0, longest - 1)}…` : label
    }</text>`
    const heading = html`<svg y="${begin}" width="${isAbove ? (beside ? '57%' : '100%') : '60%'}" height="${line}" overflow="hidden">${
      href === undefined ? text : html`<a href="${href}">${text}</a>`
    }</svg>`
    y += isAbove ? line - 2 : 0
    const parts = of.map((one) => {
      const beside = html`<text class="value" x="100%" y="${y + 14}" text-anchor="end"
      aria-hidden="true">${one.value}</text>`
      const name = isPair && html`<text class="side" x="0" y="${y + 14}" aria-hidden="true">${one.name}</text>`
      const hit = html`<rect class="hit" x="0" y="${y}" width="100%" height="${line + thick}"/>`
      const told = `${label}${isPair ? `, ${one.name}` : ''}: ${one.told}`
      const drawn = mark(marks++, told, html`${hit}${draw(one, y + line)}${name}${beside}`)
      y += line + thick + (isPair ? between * 0.6 : between)
      return drawn
    })
    y += isPair ? between * 0.4 : 0
    const aside =
      beside &&
      html`<text class="beside ${beside.meaning}" x="100%" y="${begin + 14}" text-anchor="end"
      aria-hidden="true">${beside.text}</text>`
    return html`${parts}${heading}${aside}`
  })
  return { height: Math.max(Number(number(y - between + 4)), line), content: html`${content}` }
}
