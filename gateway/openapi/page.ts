import { createHash } from 'node:crypto'
import type { Schema } from './schemas.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid #8886; }
th { white-space: nowrap; }
pre { overflow-x: auto; padding: .6rem; background: #8882; }
.wide { overflow-x: auto; }
@media (max-width: 40rem) { th { white-space: normal; } }`

/** What the page may do: nothing but show its own style. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256')
  .update(style)
  .digest('base64')}'`

// oxlint-disable-next-line typescript/no-explicit-any -- walks the JSON that document.ts made
type Json = any

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (value: unknown): string => String(value).replace(/[&<>"]/g, (one) => entities[one]!)
/** Text in which backquotes mark code. */
const words = (value = ''): string => escaped(value).replace(/`([^`]*)`/g, '<code>$1</code>')
const paragraphs = (value: string): string =>
  value
    .split('\n\n')
    .map((part) => `<p>${words(part)}</p>`)
    .join('')
const code = (value: unknown): string =>
  `<pre tabindex="0"><code>${escaped(JSON.stringify(value, null, 2))}</code></pre>`
const table = (rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<div class="wide"><table>${rows.join('')}</table></div>`
const row = (name: string, text: string): string => `<tr><th scope="row">${name}</th><td>${text}</td></tr>`
const sorted = (parts: Json): [string, Json][] => Object.entries(parts ?? {})

/** Names a schema in a few words, with a link to those that have a name. */
function kind(schema: Json): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)
    return `<a href="#${name}">${name}</a>`
  }
  if (schema.anyOf) return schema.anyOf.map(kind).join(' or ')
  if (schema.items) return `list of ${kind(schema.items)}`
  if (schema.enum) return schema.enum.map((one: string) => `<code>${escaped(one)}</code>`).join(', ')
  return escaped(schema.format ?? schema.type ?? 'any')
}

const contents = (content: Json): string =>
  sorted(content)
    .map(([type, { schema }]) => `<code>${escaped(type)}</code>: ${kind(schema)}`)
    .join('<br>')

function operation(method: string, path: string, it: Json): string {
  const parameters = it.parameters.map(({ name, required, description, schema, content, in: place }: Json) =>
    row(
      `<code>${escaped(name)}</code>${required ? ', required' : ''}`,
      `${words(description)} <small>${place}, ${kind(schema ?? content['application/json'].schema)}</small>`,
    ),
  )
  const answers = sorted(it.responses).map(([status, { description, content }]) =>
    row(status, `${words(description)}<br><small>${contents(content)}</small>`),
  )
  return `<h2 id="${it.operationId}"><code>${method.toUpperCase()} ${escaped(path)}</code></h2>
<p><strong>${words(it.summary)}.</strong> ${words(it.description)}</p>
${table(parameters)}
${it.requestBody ? `<h3>Body</h3><p>${contents(it.requestBody.content)}</p>` : ''}
<h3>Answers</h3>${table(answers)}<p><a href="#list">All requests</a></p>`
}

/** The OpenAPI document as a page without scripts. */
export function pageOf(document: Schema): string {
  const { info, paths, components } = document as Json
  const all = sorted(paths).flatMap(([path, methods]) =>
    sorted(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, it]) => ({ path, method, it })),
  )
  const list = all.map(
    ({ method, path, it }) =>
      `<li><a href="#${it.operationId}"><code>${method.toUpperCase()} ${escaped(path)}</code></a> ` +
      `${words(it.summary)}</li>`,
  )
  const named = sorted(components.schemas).map(([name, schema]) => `<h3 id="${name}">${name}</h3>${code(schema)}`)
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}: the xAPI interface</title><style>${style}</style>
<main><h1>The xAPI interface</h1>
${paragraphs(info.description)}
<p>The same as <a href="/openapi.json">OpenAPI 3.1</a>, for tools. HEAD answers like GET, without a body.</p>
<ul id="list">${list.join('')}</ul>
${all.map(({ method, path, it }) => operation(method, path, it)).join('')}
<h2>Schemas</h2>${named.join('')}</main></html>
`
}
