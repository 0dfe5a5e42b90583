import type { SandboxEvent, SandboxWarning } from '../../../../gen/lrs/v1/launches_pb.js'
import { describe, sentence, type NamedGame } from '../../parts/describe.ts'
import { html, type Html } from '../../../web/html.ts'
import { moment } from '../../parts/amount.ts'

const sentIn = ({ request, body }: SandboxEvent): Sent[] =>
  request.includes('/statements') && body !== '' ? statementsIn(body) : []

export interface SandboxView {
  /** The actor of every statement, whatever the game says. */
  readonly learner: string
  readonly languages: readonly string[]
  readonly game: NamedGame
}

/** One request as text, with its body one click away. All of it comes from the game, so all of it is escaped. */
export function sandboxEvent(event: SandboxEvent, { learner, languages, game }: SandboxView): Html {
  const { rejected } = event
  const sent = sentIn(event)
  return html`<li class="event${rejected && ' rejected'}${event.warnings.length > 0 && ' warned'}"
      data-number="${event.number}">
      <p class="what">${
        event.status > 0 && html`<span class="status">${event.status}</span> `
      }<span class="request">${event.request}</span>
        ${moment(Number(event.at) / 1000, 'clock')}</p>
      ${
        rejected
          ? rejection(event, sent)
          : accepted(event, sent, (value) =>
              sentence(describe({ ...value, actor: { name: learner } }, languages, game)),
            )
      }</li>`
}

function rejection({ message, path, reason, body }: SandboxEvent, sent: Sent[]): Html {
  const index = Number(/^statements\[(\d+)\]/.exec(path)?.[1] ?? -1)
  const offending = sent[index]
  return html`<p class="why"><strong>Rejected${
    reason !== '' && html` · <span class="reason">${reason.toLowerCase().replaceAll('_', ' ')}</span>`
  }</strong></p>
      <p class="why">${path !== '' && message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message}</p>
      ${path !== '' && html`<p class="why">At <code class="path">${path}</code></p>`}
      ${
        offending
          ? raw(sent.length > 1 ? `Statement ${index + 1} of the request` : 'What was sent', offending.text)
          : body !== '' && raw('What was sent', body)
      }`
}

function accepted(
  { message, body, warnings }: SandboxEvent,
  sent: Sent[],
  inWords: (statement: object) => string,
): Html {
  const of = (n: number) => warnings.filter(({ statement }) => statement === n)
  // the body may be cut off before the statement
  const others = warnings.filter(({ statement }) => statement >= sent.length)
  if (sent.length === 0) return html`<p>${message}</p>${body !== '' && raw('Raw content', body)}${warned(others)}`
  // the newest first, as the calls are
  return html`<ul class="statements">${sent
    .map(({ value, text }, n) => html`<li>${raw(inWords(value), text)}${warned(of(n))}</li>`)
    .toReversed()}</ul>${warned(others)}`
}

/** Slips of statements that were stored all the same. */
const warned = (warnings: readonly SandboxWarning[]): Html | false =>
  warnings.length > 0 &&
  html`<ul class="warnings">${warnings.map(({ text }) => html`<li><strong>Warning</strong> ${text}</li>`)}</ul>`

const raw = (title: string, text: string): Html =>
  html`<details><summary>${title}</summary><pre tabindex="0" role="group"
      aria-label="What was sent">${pretty(text)}</pre></details>`

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

interface Sent {
  readonly value: object
  readonly text: string
}

/** The complete statements of a body, whose end may be cut off. */
function statementsIn(body: string): Sent[] {
  const found: Sent[] = []
  let depth = 0
  let begin = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const letter = body[at]
    if (isText) {
      if (letter === '\\') at++
      else if (letter === '"') isText = false
    } else if (letter === '"') isText = true
    else if (letter === '{') {
      if (depth++ === 0) begin = at
    } else if (letter === '}' && --depth === 0) {
      const text = body.slice(begin, at + 1)
      try {
        found.push({ value: JSON.parse(text) as object, text })
      } catch {
        return found
      }
    }
    if (depth < 0) return found
  }
  return found
}
