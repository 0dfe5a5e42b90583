import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { renderGuide } from '../portal/guides/markdown.ts'

const root = resolve(import.meta.dirname, '..')
const pages = globSync(['*.md', 'docs/**/*.md', 'ops/**/*.md', 'examples/**/*.md', 'clients/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
const folders =
  'admin|bench|clients|core|docs|examples|gateway|gen|metrics|ops|player|portal|proto|start|storage|test|tracing'
/** What stands between backticks and names a place of the repository. */
const places = new RegExp(`\`((?:${folders})/[\\w./-]*\\w/?)(?:\`| )`, 'g')
const links = /\]\((?!https?:|mailto:|#)([^)#\s]+)/g

const anchored = /\]\((?!https?:)([^)#\s]*#[^)\s]+)\)/g

/** Anchors of a page, as GitHub and the portal make them. */
const anchorsOf = (page: string): string[] =>
  renderGuide(page, readFileSync(join(root, page), 'utf8'), {
    sizeOf: () => undefined,
    titleOf: () => undefined,
  }).passages.map(({ anchor }) => anchor)

function hasAnchor(from: string, link: string): boolean {
  const [path = '', anchor = ''] = link.split('#')
  const to = path === '' ? from : join(dirname(from), path)
  return !to.endsWith('.md') || anchorsOf(to).includes(decodeURIComponent(anchor))
}

const found = (text: string, pattern: RegExp): string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, place]) => place!)),
]

describe('what a page names is there', () => {
  test.each(pages)('%s', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const missing = [
      ...found(text, places).filter((place) => !existsSync(join(root, place))),
      ...found(text, links).filter((link) => !existsSync(resolve(root, dirname(page), link))),
      ...found(text, anchored).filter((link) => !hasAnchor(page, link)),
    ]
    expect(missing).toEqual([])
  })

  test('and each row of a table has as many cells as its head', () => {
    const cells = (row: string): number => row.trim().split(/(?<!\\)\|/).length
    const odd = pages.flatMap((page) =>
      new Marked().lexer(readFileSync(join(root, page), 'utf8')).flatMap(({ type, raw }) => {
        const [head, ...rows] = type === 'table' ? raw.trim().split('\n') : ['']
        return rows.filter((row) => cells(row) !== cells(head!)).map((row) => `${page}: ${row}`)
      }),
    )
    expect(odd).toEqual([])
  })

  test('and no page has npx run a name that is not ours in the registry', () => {
    const texts = [...pages, ...globSync('{admin,core,portal,start}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })]
    const named = texts.filter((file) => readFileSync(join(root, file), 'utf8').includes('npx games-lrs'))
    expect(named).toEqual([])
  })

  test('and every line of docs/security.md that says yes names some evidence', () => {
    const lines = readFileSync(join(root, 'docs/security.md'), 'utf8')
      .split('\n')
      .filter((line) => /^\| (V|API)/.test(line))
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.filter((line) => /\| yes \|/.test(line) && found(line, places).length === 0)).toEqual([])
  })
})
