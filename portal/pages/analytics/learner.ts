import type { EraseLearnerResponse } from '../../../gen/lrs/v1/admin_pb.js'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type {
  GetLearnerDocumentResponse,
  GetLearnerResponse,
  LearnerSession,
  LearnerStateDocument,
} from '../../../gen/lrs/v1/learners_pb.js'
import { describe, text } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import { inEnglish } from '../../web/say.ts'
import { isOwner, type Visit } from '../../web/visit.ts'
import { counted, inBytes, moment } from '../parts/amount.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { field, postForm, problem, submit } from '../parts/form.ts'
import { languageName } from '../parts/game-facts.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { levelTable } from '../parts/level-table.ts'
import { accountText, identifierText, kinds, learnerPath, nameOf } from './learners.ts'
import { sessionGroups } from '../records/session-groups.ts'
import type { Telling } from '../records/statement.ts'

export interface Timeline {
  /** Statements of the page, the newest first. */
  readonly json: readonly string[]
  readonly sessions: readonly LearnerSession[]
  /** `offset` of the next page; empty: there is none. */
  readonly next: string
  readonly isPaged: boolean
}

const micros = (at: bigint): Html => moment(at / 1_000_000n)

/** A learner of a game: who, levels, sessions in words, documents, what can be done with the data. */
export function learnerPage(
  visit: Visit,
  game: Game,
  view: DataView,
  found: GetLearnerResponse,
  timeline: Timeline,
  telling: Telling,
): Html {
  const learner = found.learner!
  const { agent, firstSeen, lastSeen, statements, sessions } = learner
  const at = (more: Readonly<Record<string, string>> = {}) => learnerPath(game, view, agent, more)
  const account = accountText(learner)
  return frame(
    visit,
    game,
    view,
    nameOf(learner),
    html`
      ${
        !found.complete &&
        html`<p class="notice" role="status">Statements are still being counted. This page shows more in a moment.</p>`
      }
      <dl class="facts across">${account !== undefined && html`<dt>Account</dt><dd>${account}</dd>`}
        <dt>Joined</dt><dd>${cameBy(found)}</dd>
        <dt>Seen</dt><dd>${
          lastSeen > 0n
            ? html`first ${micros(firstSeen)}, last ${micros(lastSeen)}`
            : 'not yet: no statement has arrived'
        }</dd>
        ${
          lastSeen > 0n &&
          html`<dt>Played</dt><dd>${counted(sessions, 'session')}, <a href="${dataPath(game, 'statements', view, {
            agent: identifierText(agent),
          })}">${counted(statements, 'statement')}</a></dd>`
        }
        ${
          found.consents.length > 0 &&
          html`<dt>Consent</dt><dd>${found.consents.map(
            ({ version, agreed, language, current }, n) =>
              html`${n > 0 && '; '}agreed on ${moment(agreed)} to ${
                current ? 'the current text' : 'an earlier text'
              }${language !== '' && ` in ${languageName(inEnglish, language)}`}, version <code>${version.slice(0, 12)}</code>`,
          )}</dd>`
        }</dl>
      ${levelTable(found.levels, {
        heading: 'Levels',
        game: telling.game,
        languages: telling.languages,
        linkOf: (activity) => telling.at({ activity }),
        more: found.older && html` From the latest ${counted(found.levelStatements, 'statement')} of this learner.`,
      })}
      ${
        timeline.json.length > 0 &&
        html`<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
      <div class="sessions">${sessionGroups(timeline.json, telling, timeline.sessions)}</div>
      <nav class="actions" aria-label="Pages of the timeline">
        ${timeline.isPaged && html`<a class="button quiet" href="${at()}#timeline">Back to the newest</a>`}
        ${
          timeline.next !== '' &&
          html`<a class="button" rel="next" href="${at({ offset: timeline.next })}#timeline">Older ones</a>`
        }</nav></section>`
      }
      ${found.documents.length > 0 && documents(found.documents, telling, at)}`,
    { aside: view.sandbox ? undefined : ofData(visit, at()) },
  )
}

/** What can be done with the data of a learner. @param at the address of the page */
const ofData = (visit: Visit, at: string): Html =>
  html`<div class="actions"><a class="button quiet" href="${at.replace('/learner?', '/learner/export?')}" download
        title="Everything that this game holds on the learner: statements, also those of others that name the learner, and documents">Take
        the data</a>
        ${
          isOwner(visit)
            ? html`<a class="button quiet danger" href="${at.replace('/learner?', '/learner/erase?')}">Erase the data…</a>`
            : html`<span class="hint">An owner can erase it.</span>`
        }</div>`

function frame(
  visit: Visit,
  game: Game,
  view: DataView,
  title: string,
  content: Html,
  { back, aside }: { back?: string; aside?: Html | undefined } = {},
): Html {
  return gameLayout(visit, game, title, content, {
    aside,
    styles: ['data.css'],
    trail: [
      { href: dataPath(game, 'learners', view), text: 'Learners' },
      ...(back === undefined ? [] : [{ href: back, text: 'The learner' }]),
    ],
  })
}

function cameBy({ origin }: GetLearnerResponse): Html {
  if (!origin) return html`${kinds['']}`
  const { name, kind, created, remembered, used, revoked } = origin
  if (kind === 'invited')
    return html`by invitation as ${name} on ${moment(created)}, ${
      used === 0 ? 'has not played yet' : counted(used, 'session')
    }${revoked && ', the invitation has ended'}`
  return html`${kinds[kind]} on ${moment(created)}${remembered && '; a browser may remember the learner'}`
}

const activityName = (activityId: string, telling: Telling): string =>
  describe({ object: { id: activityId } }, telling.languages, telling.game).what

function documents(
  documents: readonly LearnerStateDocument[],
  telling: Telling,
  at: (more: Readonly<Record<string, string>>) => string,
): Html {
  return html`<section aria-labelledby="documents"><h2 id="documents">Saved by the game</h2>
      <div class="table"><table class="stack"><thead><tr><th scope="col">Document</th><th scope="col">Of</th>
      <th scope="col" class="number">Size</th><th scope="col">Written</th></tr></thead>
      <tbody>${documents.map(({ activityId, registration, id, size, written }) => {
        const href = at({ activity: activityId, registration, id }).replace('/learner?', '/learner/document?')
        return html`<tr><th scope="row"><a href="${href}">${text(id) ?? 'Without a name'}</a></th>
        <td data-heading="Of">${activityName(activityId, telling)}${registration !== '' && ', one session'}</td>
        <td class="number" data-heading="Size">${inBytes(size)}</td>
        <td data-heading="Written">${micros(written)}</td></tr>`
      })}</tbody></table></div></section>`
}

/** A state document as text. */
export function learnerDocumentPage(
  visit: Visit,
  game: Game,
  view: DataView,
  agent: string,
  { document, content }: GetLearnerDocumentResponse,
  telling: Telling,
): Html {
  const { id, activityId, contentType, size, written } = document!
  const shown = new TextDecoder().decode(content).replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
  return frame(
    visit,
    game,
    view,
    text(id) ?? 'Document',
    html`<dl class="facts"><dt>Of</dt><dd>${activityName(activityId, telling)}</dd><dt>Type</dt>
      <dd>${text(contentType)}</dd><dt>Size</dt><dd>${inBytes(size)}</dd><dt>Written</dt>
      <dd>${micros(written)}</dd></dl>
      <h2>Content</h2>${size > content.length && html`<p>The first ${inBytes(content.length)}:</p>`}
      <pre class="json" tabindex="0">${shown}</pre>`,
    { back: learnerPath(game, view, agent) },
  )
}

/** What an erasure would remove, and a form that asks for it. */
export function eraseLearnerPage(
  visit: Visit,
  game: Game,
  view: DataView,
  { learner }: GetLearnerResponse,
  counts: EraseLearnerResponse,
  failure?: Failure,
): Html {
  const name = nameOf(learner!)
  const action = learnerPath(game, view, learner!.agent).replace('/learner?', '/learner/erase?')
  return frame(
    visit,
    game,
    view,
    `Erase the data of ${name}`,
    html`${countsList(counts)}
      <p>The results of this learner are then gone for good. Charts keep their numbers, without the learner's name.
      Data of other games stays, and so do backups. <strong>This cannot be undone.</strong></p>
      ${postForm(
        visit,
        action,
        html`${problem(failure, { name: 'The name' })}
        ${field({
          name: 'name',
          label: 'The name',
          hint: html`Type it, so that nothing is erased by accident: <strong>${name}</strong>`,
          required: true,
          maxLength: 200,
          autocomplete: 'off',
          failure,
        })}
        ${submit('Erase for good', {
          className: 'danger',
          beside: html` <a class="button quiet" href="${learnerPath(game, view, learner!.agent)}">Keep the data</a>`,
        })}`,
      )}`,
    { back: learnerPath(game, view, learner!.agent) },
  )
}

/** The receipt. */
export function erasedPage(visit: Visit, game: Game, view: DataView, receipt: EraseLearnerResponse): Html {
  return frame(
    visit,
    game,
    view,
    'The data is erased',
    html`<dl class="facts"><dt>Receipt</dt><dd><code>${receipt.receiptId}</code></dd><dt>Erased</dt>
      <dd>${micros(receipt.erased)}</dd></dl>
      ${countsList(receipt)}<p>Keep the receipt: it does not say whose data it was.</p>`,
  )
}

const countsList = (counts: EraseLearnerResponse): Html => {
  const all: [string, bigint][] = [
    ['Statements', counts.statements],
    ['Statements of others, in which a pseudonym replaces the learner', counts.pseudonymised],
    ['Documents saved by the game', counts.states],
    ['Profile documents', counts.agentProfiles],
    ['Contents of attachments', counts.attachments],
    ['Account with its sessions and invitations', counts.accounts],
  ]
  return html`<dl class="facts counts">${all.map(
    ([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString('en')}</dd>`,
  )}</dl>`
}
