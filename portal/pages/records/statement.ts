import { describe, type NamedGame } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import { timeOf } from '../../../shared/timestamp.ts'
import { moment } from '../parts/amount.ts'
import { prettyJson } from '../parts/json.ts'

/** What a statement is shown with. */
export interface Telling {
  /** The statements page of the game with the same view and filters, of which these are changed. */
  readonly at: (filters: Readonly<Record<string, string>>) => string
  /** The address of one statement. */
  readonly one: (id: string) => string
  readonly languages: readonly string[]
  readonly game: NamedGame
}

/** Characters of JSON that a list shows of one statement; longer ones have a page of their own. */
const inlineJson = 1_200

/** A statement in a list: in words that filter the list, its JSON one click away. */
export function statementItem(json: string, telling: Telling): Html {
  const statement = JSON.parse(json) as StatementJson
  const { id, timestamp, stored } = statement
  const at = telling.one(id)
  return html`
        <li>
          <p class="said">${linkedSentence(statement, telling)}</p>
          <p class="when"><a href="${at}">${moment(stored, 'second')}</a></p>
          <p class="about">${isAway(timestamp, stored) && html`happened ${moment(timestamp, 'second')}`}</p>
          ${
            json.length <= inlineJson
              ? html`<details><summary>JSON<span class="visually-hidden"> of the statement of
              ${moment(stored, 'second')}</span></summary>${prettyJson(json)}</details>`
              : html`<p class="about long"><a href="${at}">JSON, ${Math.ceil(json.length / 1000)} KB</a></p>`
          }
        </li>`
}

/** The sentence, whose learner, verb and activity are links to the statements with the same ones. */
export function linkedSentence(statement: StatementJson, { at, languages, game }: Telling): Html {
  const { actor, verb, object } = statement
  const { who, did, what, details } = describe(statement, languages, game)
  const learner = learnerText(actor)
  const isActivity = (object.objectType ?? 'Activity') === 'Activity'
  const only = (filter: string, value: string | undefined, words: string | Html) =>
    value === undefined ? words : html`<a href="${at({ [filter]: value })}">${words}</a>`
  return html`${only('agent', learner, who)} ${only('verb', verb.id, did)} ${only(
    'activity',
    isActivity ? object.id : undefined,
    html`<b>${what}</b>`,
  )}${details.map((detail) => html`, ${detail}`)}`
}

/** A stored statement, as far as lists use it. */
export interface StatementJson {
  readonly id: string
  readonly actor: Readonly<Record<string, unknown>>
  readonly verb: { readonly id: string }
  readonly object: { readonly objectType?: string; readonly id?: string }
  readonly context?: { readonly registration?: string }
  readonly timestamp: string
  readonly stored: string
}

/**
 * Text for the filter by learner: an account as `name @ homePage`, an e-mail address, an OpenID, or JSON of an agent.
 */
export function learnerText({
  account,
  mbox,
  openid,
  mbox_sha1sum,
  objectType,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof account === 'object' && account !== null) {
    const { name, homePage } = account as { name?: unknown; homePage?: unknown }
    if (objectType !== 'Group' && typeof name === 'string' && typeof homePage === 'string')
      return `${name} @ ${homePage}`
    return JSON.stringify({ objectType, account })
  }
  if (objectType !== 'Group' && typeof mbox === 'string') return mbox.replace(/^mailto:/, '')
  if (objectType !== 'Group' && typeof openid === 'string') return openid
  const identifier = mbox ?? openid ?? mbox_sha1sum
  return identifier === undefined ? undefined : JSON.stringify({ objectType, mbox, openid, mbox_sha1sum })
}

/** JSON of the agent that the text names; empty: nobody in particular; undefined: it names none. */
export function learnerIn(text: string): string | undefined {
  const typed = text.trim()
  if (typed === '' || typed.startsWith('{')) return typed
  if (typed.length > 2_000) return undefined
  const at = typed.lastIndexOf(' @ ')
  const homePage = typed.slice(at + 3)
  if (at > 0 && /^[a-z][a-z\d+.-]*:/i.test(homePage))
    return JSON.stringify({ account: { name: typed.slice(0, at), homePage } })
  if (/^(mailto:)?[^\s:/]+@[^\s:/]+$/.test(typed))
    return JSON.stringify({ mbox: `mailto:${typed.replace(/^mailto:/, '')}` })
  return /^https?:/i.test(typed) ? JSON.stringify({ openid: typed }) : undefined
}

/** It came more than a minute after it had happened, for instance from a game that was offline. */
const isAway = (timestamp: string, stored: string): boolean => Math.abs(timeOf(timestamp) - Date.parse(stored)) > 60_000
