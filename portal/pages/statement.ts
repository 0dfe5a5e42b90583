import { describe, type NamedGame } from '../describe.ts'
import { html, type Html } from '../html.ts'
import { prettyJson } from './json.ts'

/** What a statement is shown with. */
export interface Telling {
  /** The statements page of the game with the same view; filters are added. */
  readonly at: (filters: Readonly<Record<string, string>>) => string
  /** The address of one statement. */
  readonly one: (id: string) => string
  readonly languages: readonly string[]
  readonly game: NamedGame
}

/** Characters of JSON that a list shows of one statement; longer ones have a page of their own. */
const inlineJson = 4_000

/** A statement in a list: in words, what it can be searched by, its JSON one click away. */
export function statementItem(json: string, { at, one, languages, game }: Telling): Html {
  const statement = JSON.parse(json) as StatementJson
  const { id, actor, verb, object, context, timestamp, stored } = statement
  const description = describe(statement, languages, game)
  const learner = learnerText(actor)
  const registration = context?.registration
  const isActivity = (object.objectType ?? 'Activity') === 'Activity'
  return html`
        <li>
          <p class="said">${sentenceHtml(description)}</p>
          <p class="when"><a href="${one(id)}"><time datetime="${stored}">${momentText(stored)}</time></a>${isAway(timestamp, stored) && html`<br>happened ${momentText(timestamp)}`}</p>
          <p class="about"><span>Only</span>
            ${learner !== undefined && html`<a href="${at({ agent: learner })}">this learner</a>`}
            <a href="${at({ verb: verb.id })}">this verb</a>
            ${isActivity && html`<a href="${at({ activity: object.id ?? '' })}">this activity</a>`}
            ${registration !== undefined && html`<a href="${at({ registration })}">this session</a>`}</p>
          ${
            json.length <= inlineJson
              ? html`<details><summary>JSON<span class="visually-hidden"> of the statement of ${momentText(stored)}</span></summary>${prettyJson(json)}</details>`
              : html`<p class="about"><a href="${one(id)}">JSON, ${Math.ceil(json.length / 1000)} KB</a></p>`
          }
        </li>`
}

/** The sentence with what it is about in bold. */
export function sentenceHtml({ who, did, what, details }: ReturnType<typeof describe>): Html {
  return html`${who} ${did} <b>${what}</b>${details.map((detail) => html`, ${detail}`)}`
}

interface StatementJson {
  readonly id: string
  readonly actor: Readonly<Record<string, unknown>>
  readonly verb: { readonly id: string }
  readonly object: { readonly objectType?: string; readonly id?: string }
  readonly context?: { readonly registration?: string }
  readonly timestamp: string
  readonly stored: string
}

/** Text for the filter by learner: an account as `name @ homePage`, an e-mail address, an OpenID, or JSON of an agent. */
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

/** To the second, in UTC. */
export function momentText(time: string): string {
  const at = new Date(time)
  return Number.isNaN(at.getTime())
    ? time.slice(0, 40)
    : `${at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })} UTC`
}

/** It came more than a minute after it had happened, for instance from a game that was offline. */
const isAway = (timestamp: string, stored: string): boolean =>
  Math.abs(Date.parse(timestamp) - Date.parse(stored)) > 60_000
