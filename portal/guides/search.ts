import MiniSearch, { type SearchOptions } from 'minisearch'
import { guideSearch } from '../../shared/limits.ts'
import type { Passage } from './markdown.ts'

/** A passage of a page, to be found. */
export interface Place extends Passage {
  /** Of the page. */
  readonly title: string
  readonly href: string
  /** Of its section. */
  readonly weight: number
}

/** Text, with the words that were searched for set apart: `marked` at odd positions. */
export type Marked = readonly string[]

export interface Found {
  readonly href: string
  readonly title: Marked
  /** Undefined: the beginning of the page was found. */
  readonly heading: Marked | undefined
  readonly excerpt: Marked
}

/** Characters before and after the first word that was found. */
const before = 80
const after = 220

/** What people ask for under another name than the guides have. */
const otherNames = new Map([
  ['quickstart', 'first statement'],
  ['tutorial', 'first statement'],
  ['gdpr', 'erasure'],
  ['dsgvo', 'erasure'],
  ['highscore', 'leaderboards'],
  ['sso', 'OpenID'],
  ['oauth', 'OpenID'],
  ['mcp', 'assistants'],
  ['kpi', 'charts'],
  ['pin', 'code'],
])

const wordsIn = (text: string): string[] => text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')

/** Finds passages by words and by beginnings of words. All words have to be there, unless no passage has all. */
export class GuideSearch {
  readonly #index = new MiniSearch<Place>({
    fields: ['text', 'title', 'words'],
    tokenize: wordsIn,
    searchOptions: {
      boost: { text: 6, title: 3 },
      prefix: (term) => term.length > 1,
      // the top of a page says what all of it is about
      boostDocument: (id) => this.#places[id as number]!.weight * (this.#places[id as number]!.depth === 1 ? 1.4 : 1),
    },
  })
  readonly #places: readonly Place[]
  /** The words of each place, to find phrases in. */
  readonly #plain: readonly string[]

  private constructor(places: readonly Place[]) {
    this.#places = places
    this.#plain = places.map(({ text, words }) => wordsIn(`${text} ${words}`).join(' ').toLowerCase())
  }

  /** Serves other requests while it reads. */
  static async over(places: readonly Place[]): Promise<GuideSearch> {
    const search = new GuideSearch(places)
    await search.#index.addAllAsync(
      places.map((place, id) => ({ ...place, id })),
      { chunkSize: 50 },
    )
    return search
  }

  find(asked: string): Found[] {
    const words = wordsIn(asked.slice(0, guideSearch.characters))
      .flatMap((word) => wordsIn(otherNames.get(word.toLowerCase()) ?? word))
      .slice(0, guideSearch.words)
    const search = (options: SearchOptions) => this.#index.search(words.join(' '), options)
    const all = search({ combineWith: 'AND' })
    const some = all.length > 0 ? all : search({ combineWith: 'OR', fuzzy: 0.2, maxFuzzy: 2 })
    const phrase = words.join(' ').toLowerCase()
    const isPhrase = (id: number) => words.length > 1 && this.#plain[id]!.includes(phrase)
    return some
      .map(({ id, score, terms }) => ({ id: id as number, terms, score: isPhrase(id as number) ? score * 2 : score }))
      .sort((one, other) => other.score - one.score)
      .slice(0, guideSearch.results)
      .map(({ id, terms }) => shown(this.#places[id]!, terms))
  }
}

function shown({ href, title, text, depth, words }: Place, terms: readonly string[]): Found {
  const mark = (part: string): Marked => part.split(wordIn(terms))
  return {
    href,
    title: mark(title),
    heading: depth === 1 ? undefined : mark(text),
    excerpt: mark(around(words, terms)),
  }
}

/** Splits a text at these words and keeps them. A word has letters, marks and digits only, so none has to be escaped. */
function wordIn(terms: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(${terms.join('|')})(?![\p{L}\p{M}\p{N}])`, 'iu')
}

/** The part of a text around the first of these words, in whole words. */
function around(words: string, terms: readonly string[]): string {
  const first = Math.max(words.search(wordIn(terms)), 0)
  const from = first <= before ? 0 : words.indexOf(' ', first - before) + 1
  const cut = from + before + after
  const to = cut >= words.length ? words.length : words.lastIndexOf(' ', cut)
  return `${from > 0 ? '… ' : ''}${words.slice(from, Math.max(to, first))}${to < words.length ? ' …' : ''}`
}
