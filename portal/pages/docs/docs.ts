import { guideSearch } from '../../../shared/limits.ts'
import { presentIn, sections } from '../../guides/contents.ts'
import type { Library } from '../../guides/library.ts'
import type { Found, Marked } from '../../guides/search.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { docsLayout, hrefOf, titleOf } from './docs-layout.ts'

/** The start page: every guide, in the order in which one needs them. */
export const docsPage = (visit: Visit, library: Library): Html =>
  docsLayout(visit, library, {
    title: 'Docs',
    content: html`<h1>Docs</h1>
        <p class="lead">From a new game to its first statement, and on to charts, classes and other systems. New here?
        Start with <a href="/docs/first-statement">the first statement</a>.</p>
        ${sections.map(
          (section) => html`<section><h2>${section.title}</h2><p class="muted">${section.about}</p>
          <dl class="guide-cards">${presentIn(section, library.guides).map(
            (entry) =>
              html`<div><dt><a href="${hrefOf(entry)}">${titleOf(entry, library)}</a></dt><dd>${entry.about}</dd></div>`,
          )}</dl></section>`,
        )}`,
  })

/** What a search found. */
export const foundPage = (visit: Visit, library: Library, asked: string, found: readonly Found[]): Html =>
  docsLayout(visit, library, {
    title: `Search: ${asked}`,
    asked,
    isBelow: true,
    content: html`<h1>Search</h1>
        <p class="muted" role="status">${
          found.length === 0
            ? html`No guide has “${asked}”. Try other words, or only their beginnings.`
            : found.length < guideSearch.results
              ? html`${found.length} ${found.length === 1 ? 'place' : 'places'} for “${asked}”, the best first.`
              : html`The ${found.length} best places for “${asked}”.`
        }</p>
        <ol class="found">${found.map(
          ({ href, title, heading, excerpt }) =>
            html`<li><h2><a href="${href}">${marked(title)}${heading && html` › ${marked(heading)}`}</a></h2>
          <p>${marked(excerpt)}</p></li>`,
        )}</ol>`,
  })

const marked = (parts: Marked): Html[] =>
  parts.map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))
