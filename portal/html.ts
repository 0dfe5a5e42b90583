/** HTML that is safe as it stands. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Nothing is shown for `false` and `undefined`, so `${isOpen && html`…`}` reads as it should. */
type Value = string | number | bigint | Html | Value[] | false | undefined

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A template in which every value is text, unless it is Html itself or a list of it. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

/** Text of several paragraphs as it was typed: blank lines part paragraphs, others stay lines. */
export function paragraphs(text: string): Html[] {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '')
  return parts.map(
    (part) => html`<p>${part.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`)}</p>`,
  )
}

function render(value: Value): string {
  if (value === false || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return String(value).replace(/[&<>"']/g, (character) => entities[character]!)
}
