import { describe, lengthText } from '../describe.ts'
import { html, type Html } from '../html.ts'
import { momentText, statementItem, type StatementJson, type Telling } from './statement.ts'

interface Said {
  readonly json: string
  readonly statement: StatementJson
}

/** Statements grouped by session; the groups and their statements keep the order of the list. */
export function sessionGroups(json: readonly string[], telling: Telling): Html[] {
  const all = json.map((one): Said => ({ json: one, statement: JSON.parse(one) as StatementJson }))
  const groups = Map.groupBy(all, ({ statement }) => statement.context?.registration ?? '')
  return Array.from(groups, ([registration, said]) => sessionGroup(registration, said, telling))
}

/** One session with statements of the list: whose, when, how long. public/live.js adds to it. */
function sessionGroup(registration: string, said: readonly Said[], telling: Telling): Html {
  return html`
      <section class="session" data-session="${registration}">${sessionHead(registration, said, telling)}
        <ol class="statements">${said.map(({ json }) => statementItem(json, telling))}</ol>
      </section>`
}

function sessionHead(registration: string, said: readonly Said[], { at, languages, game }: Telling): Html {
  if (registration === '') return html`<h3>Outside of a session</h3>`
  const who = new Set(said.map(({ statement }) => describe(statement, languages, game).who))
  const of = who.size === 1 ? [...who][0] : `${who.size} learners`
  const times = said.map(({ statement }) => statement.timestamp).sort((a, b) => Date.parse(a) - Date.parse(b))
  const [first, last] = [times[0]!, times.at(-1)!]
  return html`<h3><a href="${at({ registration })}">Session of ${of}</a>
          <span class="span"><time datetime="${first}">${momentText(first)}</time><span class="length" data-last="${last}">${lasted(first, last)}</span></span></h3>`
}

/** `, 3 min 12 s`; empty: it is one moment. */
function lasted(first: string, last: string): string {
  const seconds = (Date.parse(last) - Date.parse(first)) / 1000
  return seconds >= 1 ? `, ${lengthText(Math.round(seconds))}` : ''
}
