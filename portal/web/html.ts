/** HTML that is escaped already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `false` and `undefined` show nothing, so templates can have `${isOpen && html`…`}`. */
type Value = string | number | bigint | Html | Value[] | false | undefined

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A template that escapes each value, except Html and lists of Html. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

/** Typed text as paragraphs: a blank line starts a new one, other line breaks stay. */
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
