import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { html, Html } from '../web/html.ts'
import { codeBlock } from '../web/code-block.ts'
import { fileOf, hrefOf, pictureOf } from './links.ts'

export interface Heading {
  readonly anchor: string
  readonly text: string
  /** 1: the title of the page. */
  readonly depth: number
}

/** A heading with the words below it, up to the next heading. */
export interface Passage extends Heading {
  readonly words: string
}

export interface Guide {
  readonly title: string
  readonly body: Html
  /** In their order, the title first. */
  readonly passages: readonly Passage[]
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** What a guide takes from others; undefined: there is none. */
export interface Around {
  /** Of the picture at this address. */
  readonly sizeOf: (address: string) => Size | undefined
  /** Of the guide with this file. */
  readonly titleOf: (file: string) => string | undefined
}

/**
 * A guide as a part of a page. HTML in the Markdown is shown as text.
 * @param file from the root of the repository
 */
export function renderGuide(file: string, text: string, around: Around): Guide {
  const tokens = new Marked().lexer(text)
  const passages = passagesOf(tokens)
  const body = new Html(new Marked({ renderer: rendererFor(file, passages, around) }).parser(tokens))
  return { title: passages[0]?.text ?? file, body, passages }
}

function rendererFor(file: string, passages: readonly Passage[], { sizeOf, titleOf }: Around): RendererObject {
  let headings = 0
  let blocks = 0
  let tables = 0
  return {
    html: ({ text }) => html`${text}`.text,
    heading({ depth, tokens }) {
      const { anchor, text } = passages[headings++]!
      const link = depth > 1 && html` <a class="anchor" href="#${anchor}" aria-label="Link to ${text}">#</a>`
      return html`<h${depth} id="${anchor}">${new Html(this.parser.parseInline(tokens))}${link}</h${depth}>`.text
    },
    code: ({ text }) => codeBlock(`code-block-${++blocks}`, `code, block ${blocks}`, text).text,
    link({ href, text, tokens }) {
      const address = hrefOf(file, href)
      // a link that is named like the file gets the title of its guide
      const title = /^[\w./-]+\.md$/.test(text) ? titleOf(fileOf(file, href)) : undefined
      const shown = title === undefined ? new Html(this.parser.parseInline(tokens)) : html`${title}`
      return address === undefined ? shown.text : html`<a href="${address}">${shown}</a>`.text
    },
    image({ href, text }) {
      const address = pictureOf(file, href)
      const size = address === undefined ? undefined : sizeOf(address)
      if (address === undefined || !size) return html`${text}`.text
      const { width, height } = size
      return html`<a href="${address}"><img src="${address}" alt="${text}" width="${width}" height="${height}" loading="lazy"></a>`
        .text
    },
    table({ header, rows }) {
      const cells = (row: Tokens.TableCell[], tag: string) =>
        row.map(({ align, tokens }) => {
          const content = new Html(this.parser.parseInline(tokens))
          return html`<${tag}${align === 'right' && html` class="number"`}>${content}</${tag}>`
        })
      // a table of pictures has no words above its columns
      const named = header.some(({ text }) => text !== '')
      const columns = header.map((cell) => cells([cell], cell.text === '' ? 'td' : 'th'))
      return html`<div class="table" role="region" aria-label="Table ${++tables}" tabindex="0"><table>${
        named && html`<thead><tr>${columns}</tr></thead>`
      }<tbody>${rows.map((row) => html`<tr>${cells(row, 'td')}</tr>`)}</tbody></table></div>`.text
    },
  }
}

function passagesOf(tokens: Token[]): Passage[] {
  const anchor = anchors()
  const passages: { anchor: string; text: string; depth: number; words: string }[] = []
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = wordsOf(token.tokens).trim()
      passages.push({ anchor: anchor(text), text, depth: (token as Tokens.Heading).depth, words: '' })
    } else if (passages.length > 0) passages.at(-1)!.words += ` ${wordsOf([token])}`
  }
  return passages.map((passage) => ({ ...passage, words: passage.words.replaceAll(/\s+/g, ' ').trim() }))
}

/** What is read, without marks. */
function wordsOf(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows]
          .flat()
          .map(({ tokens }) => ` ${wordsOf(tokens)} `)
          .join('·')
      }
      if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => ` ${wordsOf(tokens)}`).join('')
      if (token.type === 'space') return ' '
      if (token.type !== 'image' && 'tokens' in token) return wordsOf(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')
}

/** Gives the headings of a page the anchors that GitHub gives them, so that links work in both places. */
export function anchors(): (heading: string) => string {
  const used = new Set<string>()
  return (heading) => {
    const plain = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = plain
    for (let n = 1; used.has(anchor); n++) anchor = `${plain}-${n}`
    used.add(anchor)
    return anchor
  }
}
