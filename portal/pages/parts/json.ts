import { html, Html } from '../../web/html.ts'

/** JSON over several lines. Numbers keep their form and members their order; names are highlighted. */
export function prettyJson(json: string): Html {
  let text = ''
  let depth = 0
  let before = ''
  let last = ''
  for (const [token, string, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]|,|[^\s[\]{},:"]+/g)) {
    if (token === ']' || token === '}') {
      depth--
      before = last === '[' || last === '{' ? '' : lineAt(depth)
    } else if (token === ',') before = ''
    text += before + (colon === undefined ? escaped(token) : `<i>${escaped(string!)}</i>: `)
    before = token === '[' || token === '{' ? lineAt(++depth) : token === ',' ? lineAt(depth) : ''
    last = token
  }
  return html`<pre class="json" tabindex="0">${new Html(text)}</pre>`
}

const lineAt = (depth: number): string => `\n${'  '.repeat(Math.max(0, depth))}`

const escaped = (text: string): string => html`${text}`.text
