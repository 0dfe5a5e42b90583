import { guideSearch } from '../../../shared/limits.ts'
import { isGuide, presentIn, sections, type GuideEntry, type PageEntry } from '../../guides/contents.ts'
import type { Library } from '../../guides/library.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { docsTrail, layout } from '../parts/layout.ts'

interface DocsPage {
  readonly title: string
  readonly content: Html
  /** What was searched for. */
  readonly asked?: string
  /** The headings of the page. */
  readonly toc?: Html
  /** The page is below the start page. */
  readonly isBelow?: boolean
}

export const hrefOf = (entry: GuideEntry | PageEntry): string => (isGuide(entry) ? `/docs/${entry.name}` : entry.href)
export const titleOf = (entry: GuideEntry | PageEntry, { guides }: Library): string =>
  isGuide(entry) ? guides.get(entry.name)!.title : entry.title

/** A page of the docs: the search above it, the list of guides beside it, on a phone below it. */
export const docsLayout = (visit: Visit, library: Library, { title, content, asked, toc, isBelow }: DocsPage): Html =>
  layout(
    visit,
    title,
    html`<form class="docs-search" role="search" action="/docs">
        <label class="visually-hidden" for="docs-q">Search the guides</label>
        <input id="docs-q" type="search" name="q" maxlength="${guideSearch.characters}" value="${asked ?? ''}" placeholder="Search the guides" autocomplete="off">
        <button>Search</button></form>
      <div class="docs">
        <article class="guide">${content}</article>
        ${toc}
        ${guideList(visit, library)}
      </div>`,
    {
      bare: true,
      width: 'wide',
      scripts: ['copy.js'],
      styles: ['game.css', 'docs.css'],
      trail: isBelow ? docsTrail : [],
    },
  )

const guideList = ({ request: { path } }: Visit, library: Library): Html =>
  html`<nav class="guide-list" aria-label="Guides">${sections.map(
    (section) => html`<h2>${section.title}</h2>
          <ul>${presentIn(section, library.guides).map((entry) => {
            const href = hrefOf(entry)
            return html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${titleOf(entry, library)}</a></li>`
          })}</ul>`,
  )}</nav>`
