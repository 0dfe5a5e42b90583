import type { Studio } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Game, GameFile, GamePage } from '../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../web/html.ts'
import { inEnglish } from '../../web/say.ts'
import { factsOf } from './facts.ts'
import { factsOfGame, languageName } from './game-facts.ts'
import { mediaPath } from './media.ts'

interface Part<Of> {
  readonly title: string
  /** The value to compare. */
  readonly is: (of: Of) => unknown
  readonly show: (of: Of, other: Of) => Html
}

/** Compares the accepted page of a game with the draft. */
export function comparison({ summary, description, consent, texts, gallery, teachingNotes, accepted }: Game): Html {
  return sides(pageParts, accepted!, {
    ...accepted!,
    name: summary!.name,
    summary: summary!.summary,
    facts: summary!.facts,
    description,
    consent,
    texts,
    gallery,
    teachingNotes,
  })
}

/** Compares the profiles of a studio in the same way. */
export const profileComparison = (accepted: Studio, draft: Studio): Html => sides(profileParts, accepted, draft)

/** The different parts side by side, then one line with the equal parts. */
function sides<Of>(parts: readonly Part<Of>[], before: Of, after: Of): Html {
  const differs = ({ is }: Part<Of>) => JSON.stringify(is(before)) !== JSON.stringify(is(after))
  const same = parts.filter((part) => !differs(part)).map(({ title }) => title)
  return html`${parts.filter(differs).map(
    ({ title, show }) => html`<section class="compared"><h3>${title}</h3>
        <div class="sides">
          <div class="side"><h4>Public now</h4><div class="before">${show(before, after)}</div></div>
          <div class="side"><h4>Changed to</h4><div class="after">${show(after, before)}</div></div>
        </div></section>`,
  )}
      ${same.length > 0 && html`<p class="hint">Unchanged: ${same.join(', ')}.</p>`}`
}

const pageParts: readonly Part<GamePage>[] = [
  { title: 'Name', is: ({ name }) => name, show: ({ name }) => html`<p>${name}</p>` },
  { title: 'Summary', is: ({ summary }) => summary, show: ({ summary }) => html`<p>${summary || none}</p>` },
  {
    title: 'Description',
    is: ({ description }) => description,
    show: (page, other) => texts(page.description, other.description),
  },
  {
    title: 'Consent text',
    is: ({ consent }) => consent,
    show: (page, other) => texts(page.consent, other.consent),
  },
  {
    title: 'Subject, age, language, time',
    is: ({ facts }) => factsOfGame(inEnglish, facts),
    show: ({ facts }) => {
      const said = factsOfGame(inEnglish, facts)
      return said.length > 0 ? factsOf(said) : html`<p>${none}</p>`
    },
  },
  {
    title: 'Language of the texts',
    is: ({ facts }) => facts?.textLanguage || 'en',
    show: ({ facts }) => html`<p>${languageName(inEnglish, facts?.textLanguage || 'en')}</p>`,
  },
  {
    title: 'Texts in other languages',
    is: ({ texts }) => texts.map(({ $typeName: _, ...text }) => text).toSorted(byLanguage),
    show: (page, other) => {
      const shown = page.texts.toSorted(byLanguage).map((text) => {
        const there = other.texts.find(({ language }) => language === text.language)
        return html`<h5>${languageName(inEnglish, text.language)}</h5>${parts.map(
          (part) => text[part] !== '' && texts(text[part], there?.[part] ?? ''),
        )}`
      })
      return shown.length > 0 ? html`${shown}` : html`<p>${none}</p>`
    },
  },
  {
    title: 'Gallery',
    is: ({ gallery }) => gallery.map(identity),
    show: (page, other) => files(page.gallery, other.gallery, image),
  },
  {
    title: 'Teaching notes',
    is: ({ teachingNotes }) => teachingNotes.map(identity),
    show: (page, other) => files(page.teachingNotes, other.teachingNotes, note),
  },
]

const profileParts: readonly Part<Studio>[] = [
  { title: 'Name', is: ({ name }) => name, show: ({ name }) => html`<p>${name}</p>` },
  { title: 'Website', is: ({ website }) => website, show: ({ website }) => html`<p>${website || none}</p>` },
  { title: 'About', is: ({ about }) => about, show: (of, other) => texts(of.about, other.about) },
  {
    title: 'Logo',
    is: ({ logo }) => logo,
    show: ({ logo }) =>
      logo === ''
        ? html`<p>${none}</p>`
        : html`<img class="logo" src="${mediaPath(logo)}" alt="Logo" width="96" height="96">`,
  },
]

const parts = ['summary', 'description', 'consent'] as const
const byLanguage = (one: { language: string }, other: { language: string }): number =>
  one.language < other.language ? -1 : 1

const none = html`<span class="muted">None</span>`
const identity = ({ fileId, text }: GameFile) => [fileId, text]

/** Marks each paragraph that the other side does not have. */
function texts(text: string, other: string): Html {
  const there = new Set(paragraphs(other).map(({ text }) => text))
  const shown = paragraphs(text).map((one) => (there.has(one.text) ? one : html`<div class="differs">${one}</div>`))
  return shown.length > 0 ? html`${shown}` : html`<p>${none}</p>`
}

/** Marks each file that the other side does not have, or has in another place or with another text. */
function files(of: readonly GameFile[], others: readonly GameFile[], show: (file: GameFile) => Html): Html {
  if (of.length === 0) return html`<p>${none}</p>`
  return html`<ol class="files">${of.map((file, place) => {
    const same = others[place]?.fileId === file.fileId && others[place].text === file.text
    return html`<li class="${same ? '' : 'differs'}">${show(file)}</li>`
  })}</ol>`
}

const image = ({ storageKey, fileName, text }: GameFile): Html =>
  html`<a href="${mediaPath(storageKey)}"><img src="${mediaPath(storageKey)}" alt="${fileName}" loading="lazy"></a>
    <p>${text || html`<span class="muted">No description</span>`}</p>`

const note = ({ storageKey, fileName, text }: GameFile): Html =>
  html`<p><a href="${mediaPath(storageKey, fileName)}">${fileName}</a>${text !== '' && html`<br>${text}`}</p>`
