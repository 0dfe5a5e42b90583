import { describe, lengthText } from '../parts/describe.ts'
import type { LearnerSession } from '../../../gen/lrs/v1/learners_pb.js'
import { html, type Html } from '../../web/html.ts'
import { timeOf } from '../../../shared/timestamp.ts'
import { moment } from '../parts/amount.ts'
import { statementItem, type StatementJson, type Telling } from './statement.ts'

interface Said {
  readonly json: string
  readonly statement: StatementJson
}

/**
 * Statements grouped by session; the groups and their statements keep the order of the list.
 * @param whole sessions with more statements than the list has
 */
export function sessionGroups(
  json: readonly string[],
  telling: Telling,
  whole: readonly LearnerSession[] = [],
): Html[] {
  const known = new Map(whole.map((session) => [session.registration, session]))
  const all = json.map((one): Said => ({ json: one, statement: JSON.parse(one) as StatementJson }))
  const groups = Map.groupBy(all, ({ statement }) => statement.context?.registration ?? '')
  return Array.from(groups, ([registration, said]) =>
    sessionGroup(registration, said, telling, known.get(registration)),
  )
}

/** One session with statements of the list: whose, when, how long. public/live.js adds to it. */
function sessionGroup(
  registration: string,
  said: readonly Said[],
  telling: Telling,
  whole: LearnerSession | undefined,
): Html {
  return html`
      <section class="session" data-session="${registration}">${sessionHead(registration, said, telling, whole)}
        <ol class="statements">${said.map(({ json }) => statementItem(json, telling))}</ol>
      </section>`
}

function sessionHead(
  registration: string,
  said: readonly Said[],
  { at, languages, game }: Telling,
  whole: LearnerSession | undefined,
): Html {
  if (registration === '') return html`<h3>Outside of a session</h3>`
  const who = new Set(said.map(({ statement }) => describe(statement, languages, game).who))
  const of = who.size === 1 ? [...who][0] : `${who.size} learners`
  const times = said.map(({ statement }) => timeOf(statement.timestamp))
  const first = Math.min(...times, ...(whole ? [Number(whole.begin) / 1000] : []))
  const last = Math.max(...times, ...(whole ? [Number(whole.end) / 1000] : []))
  return html`<h3><a href="${at({ registration })}">Session of ${of}</a>
          <span class="span">${moment(first / 1000, 'second')}<span class="length"
          data-last="${last}">${lasted(last - first)}</span></span></h3>`
}

/** `, 3 min 12 s`; empty: it is one moment. */
function lasted(milliseconds: number): string {
  const seconds = milliseconds / 1000
  return seconds >= 1 ? `, ${lengthText(Math.round(seconds))}` : ''
}
