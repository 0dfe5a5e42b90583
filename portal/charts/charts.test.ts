import { expect, test } from 'vitest'
import { html } from '../web/html.ts'
import { chartCard, type Chart, type Drawing } from './chart.ts'
import { columns } from './columns.ts'
import { heat } from './heat.ts'
import { lines } from './lines.ts'
import { boxes, mostRows, rows } from './rows.ts'
import { roundTime, roundTop } from './scale.ts'
import { sentences, sideTable, together } from './sides.ts'
import { svgFile } from './svg-file.ts'
import { column, tableCsv, tableHtml, type Table } from './table.ts'
import { duration, percentOf } from './words.ts'

const hostile = '<script>alert(1)</script>"&\''
const labels = ['1 Nov', '2 Nov', '3 Nov']
const bar = (value: number, label = 'Level 1') => ({
  label,
  of: [{ name: '', parts: { reached: value }, value: String(value), told: `${value} players` }],
})
const box = (low: number, middle: number, high: number) => ({
  label: 'Level 1',
  of: [{ name: '', low, middle, high, value: 'median', told: 'all' }],
})
const tick = String
const attributes = ({ content }: Drawing, name: string) =>
  Array.from(content.text.matchAll(new RegExp(` ${name}="(-?[\\d.]+)%?"`, 'g')), ([, value]) => Number(value))
const table: Table = {
  columns: [column('Level', 'text'), column('Players'), column('Share', 'percent'), column('Time', 'seconds')],
  rows: [
    { cells: ['Moon', 1_234_567, 0.12345, 75.5], href: '/x?a=1&b=2' },
    { cells: [hostile, 0, 1, undefined] },
    { cells: ['=1+1', 2, undefined, -0.5] },
  ],
}
const chart = (over: Partial<Chart> = {}): Chart => ({
  id: 'c',
  title: `Who? ${hostile}`,
  answer: `Ana ${hostile}`,
  source: `Counts ${hostile}`,
  drawing: rows([{ ...bar(3, hostile), href: `/x?${hostile}` }], { reached: hostile }),
  table,
  empty: html`<p>Play.</p>`,
  ...over,
})

const shapes: [string, (value: number) => Drawing][] = [
  ['columns', (value) => columns({ labels, series: [{ name: 'a', values: [0, value, 1] }] })],
  [
    'columns of two',
    (value) => columns({ labels, series: ['a', 'b'].map((name) => ({ name, values: [0, value, 1] })) }),
  ],
  ['lines', (value) => lines({ labels, series: [{ name: 'a', values: [0, value, 1] }] })],
  ['a line of one day', (value) => lines({ labels: ['1 Nov'], series: [{ name: 'a', values: [value] }] })],
  ['rows', (value) => rows([bar(value), bar(0)])],
  ['no rows', () => rows([])],
  ['boxes', (value) => boxes([box(0, value / 2, value)], [0, value], tick)],
  ['negative boxes', (value) => boxes([box(-value, 0, value)], [-value, value], tick)],
  ['heat', (value) => heat(['a'], [{ label: 'x', cells: [{ share: value, text: String(value), told: '' }] }])],
]
test.each(shapes)('%s of nothing, one and very many stay in their plot', (_name, draw) => {
  for (const value of [0, 1, 2, 9_007_199_254_740_991]) {
    const drawing = draw(value)
    expect(drawing.content.text).not.toMatch(/NaN|Infinity|undefined/)
    expect(drawing.height).toBeGreaterThan(0)
    for (const name of ['width', 'height', 'cx', 'cy']) {
      for (const length of attributes(drawing, name)) expect(length, name).toBeGreaterThanOrEqual(0)
    }
    for (const name of ['width', 'cx', 'cy'])
      for (const length of attributes(drawing, name)) expect(length, name).toBeLessThanOrEqual(100)
  }
})

test('what a mark says is text, and only the first one is on the way of the Tab key', () => {
  const { text } = columns({ labels: [hostile, 'b'], series: [{ name: hostile, values: [1, 2] }] }).content
  expect(text).not.toContain('<script')
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;: &lt;script')
  expect(Array.from(text.matchAll(/class="mark" role="img" tabindex="(-?\d)"/g), ([, index]) => index)).toEqual([
    '0',
    '-1',
  ])
})

test('two equal lines are both seen, and their names do not lie on each other', () => {
  const { text } = lines({
    labels,
    series: ['Players', 'Sessions'].map((name) => ({ name, values: [1, 2, 3] })),
  }).content
  expect(Array.from(text.matchAll(/<path class="line (\w+)"/g), ([, series]) => series)).toEqual(['neutral', 'further'])
  const [first, second] = Array.from(text.matchAll(/class="name \w+" x="100%" dx="8" y="([\d.]+)"/g), ([, y]) =>
    Number(y),
  )
  expect(second! - first!).toBeGreaterThanOrEqual(16)
})

test('a long list is drawn in part; two builds have bars of their own in each row', () => {
  const { text } = rows(Array.from({ length: 30 }, (_, at) => bar(at, `L${at}`))).content
  expect(text.match(/class="mark"/g)).toHaveLength(mostRows)
  const pair = rows([{ label: 'Moon', of: ['Build 2', 'Build 3'].map((name) => ({ ...bar(1).of[0]!, name })) }])
  expect(pair.content.text).toContain('<title>Moon, Build 2: 1 players</title>')
  expect(pair.content.text).toContain('<title>Moon, Build 3: 1 players</title>')
})

test('the table has the numbers of the chart, as text', () => {
  const { text } = tableHtml(table, hostile)
  expect(text).not.toContain('<script')
  expect(text).toContain(
    '<th scope="row"><a href="/x?a=1&amp;b=2">Moon</a></th><td class="number">1,234,567</td>' +
      '<td class="number">12.3 %</td><td class="number">1 min 16 s</td>',
  )
  expect(text).toContain('<td class="number">0</td><td class="number">100 %</td><td class="number">–</td>')
})

test('the CSV has them as they are, and nothing that a spreadsheet calculates', () => {
  expect(tableCsv(table)).toBe(
    '\uFEFFLevel,Players,Share (percent),Time (seconds)\r\n' +
      'Moon,1234567,12.35,75.5\r\n' +
      '"<script>alert(1)</script>""&\'",0,100,\r\n' +
      "'=1+1,2,,-0.5\r\n",
  )
})

test('a card has the answer, what feeds it, the table and the files; an empty one says what to do', () => {
  const links = { alone: '/one', csv: '/one.csv', svg: '/one.svg' }
  const { text } = chartCard(chart(), 'chart-1', links)
  expect(text).not.toContain('<script')
  expect(text).toMatch(
    /<svg class="chart rows" height="\d+" role="group" aria-labelledby="chart-1" aria-describedby="chart-1-answer">/,
  )
  for (const part of ['href="/one"', 'href="/one.csv"', 'href="/one.svg"', '<table>', 'Counts &lt;script&gt;'])
    expect(text).toContain(part)
  const empty = chartCard(chart({ drawing: undefined }), 'chart-1', links).text
  expect(empty).toContain('<p>Play.</p>')
  expect(empty).not.toContain('<svg')
})

test('the SVG file stands by itself: no scripts, no links, colours inside', () => {
  const file = svgFile(chart(), `${hostile}\u0001\uffff`)
  // XML has no such characters
  expect(file).not.toMatch(/[\u0001\uffff]/)
  expect(file).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="900" height="\d+"/)
  expect(file).toContain('<style>')
  expect(file).not.toMatch(/<script|href=|tabindex=/)
  // well-formed: each element that begins ends
  const tags = (pattern: RegExp) => file.match(pattern)!.length
  expect(tags(/<[a-z]+(?:\s[^>]*[^/])?>/g)).toBe(tags(/<\/[a-z]+>/g))
})

test('two builds stand in one table and in one row; one that lacks a level has none', () => {
  const sides = [
    {
      name: 'Build 3',
      of: [
        { id: 'a', n: 1 },
        { id: 'b', n: 2 },
      ],
    },
    {
      name: 'Build 2',
      of: [
        { id: 'b', n: 3 },
        { id: 'c', n: 4 },
      ],
    },
  ]
  expect(
    together(
      sides,
      (of) => of,
      ({ id }) => id,
    ).map(({ key, of }) => [key, ...of.map(({ one }) => one?.n)]),
  ).toEqual([
    ['a', 1, undefined],
    ['b', 2, 3],
    ['c', undefined, 4],
  ])
  const { columns, rows } = sideTable(sides, [column('Level', 'text'), column('N')], (of) =>
    of.map(({ id, n }) => ({ cells: [id, n] })),
  )
  expect(columns.map(({ name }) => name)).toEqual(['Level', 'Build', 'N'])
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['a', 'Build 3', 1],
    ['b', 'Build 3', 2],
    ['b', 'Build 2', 3],
    ['c', 'Build 2', 4],
  ])
  expect(sentences(sides, (of) => `${of.length} levels.`)).toBe('Build 3: 2 levels.\nBuild 2: 2 levels.')
  expect(sentences(sides.slice(0, 1), (of) => `${of.length} levels.`)).toBe('2 levels.')
})

test.each([
  [0, 2],
  [2, 2],
  [3, 4],
  [5, 6],
  [9, 10],
  [10, 10],
  [11, 12],
  [22, 24],
  [51, 60],
  [99, 100],
  [1_234, 1_600],
  [2_400_001, 3_000_000],
])('an axis for %i ends at %i', (most, top) => {
  expect(roundTop(most)).toBe(top)
})

test.each([
  [0, 1],
  [7, 10],
  [61, 120],
  [340, 360],
  [3_601, 7_200],
  [9_999_999, 10_368_000],
])('an axis for %i seconds ends at %i', (most, top) => {
  expect(roundTime(most)).toBe(top)
})

test.each([
  [0, '0 s'],
  [0.04, '0 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [75.5, '1 min 16 s'],
  [3_599.6, '1 h'],
  [3_725, '1 h 2 min'],
  [86_399, '1 d'],
  [90_000, '1 d 1 h'],
  [-75, '-1 min 15 s'],
])('%s seconds are told as %s', (seconds, told) => {
  expect(duration(seconds)).toBe(told)
})

test.each([
  [0, 0, '0 %'],
  [0, 5, '0 %'],
  [1, 1_000, 'below 1 %'],
  [1, 3, '33 %'],
  [999, 1_000, 'above 99 %'],
  [3, 3, '100 %'],
])('%i of %i are %s', (part, whole, told) => {
  expect(percentOf(part, whole)).toBe(told)
})
