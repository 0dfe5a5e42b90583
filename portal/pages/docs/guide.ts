import { entries } from '../../guides/contents.ts'
import type { Library } from '../../guides/library.ts'
import type { Guide, Passage } from '../../guides/markdown.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { docsLayout } from './docs-layout.ts'

/** One guide, with the list of its headings, and its neighbours in the list of guides. */
export function guidePage(visit: Visit, library: Library, name: string, { title, body, passages }: Guide): Html {
  const headings = passages.filter(({ depth }) => depth === 2)
  return docsLayout(visit, library, {
    title,
    isBelow: true,
    content: html`${
      headings.length > 1 && html`<details class="toc-small"><summary>On this page</summary>${list(headings)}</details>`
    }${body}${neighbours(library, name)}`,
    toc:
      headings.length > 1
        ? html`<nav class="toc" aria-label="On this page"><h2>On this page</h2>${list(headings)}</nav>`
        : html``,
  })
}

const list = (headings: readonly Passage[]): Html =>
  html`<ul>${headings.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul>`

function neighbours({ guides }: Library, name: string): Html | undefined {
  const present = entries.filter((entry) => guides.has(entry.name))
  const at = present.findIndex((entry) => entry.name === name)
  if (at < 0) return undefined
  const link = (index: number, words: string, rel: string) => {
    const entry = present[index]
    return (
      entry &&
      html`<a rel="${rel}" href="/docs/${entry.name}"><span class="hint">${words}</span> ${guides.get(entry.name)!.title}</a>`
    )
  }
  return html`<nav class="neighbours" aria-label="Previous and next guide">${link(at - 1, 'Previous', 'prev')}${link(at + 1, 'Next', 'next')}</nav>`
}
