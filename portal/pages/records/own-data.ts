import type { Studio } from '../../../gen/lrs/v1/accounts_pb.js'
import { erasureRequests } from '../../../shared/limits.ts'
import type { Device } from '../../../gen/lrs/v1/devices_pb.js'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import type { ErasureRequest, GetOwnDataResponse } from '../../../gen/lrs/v1/own_data_pb.js'
import { describe, languagesIn, sentence, text, type NamedGame } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { counted, inBytes, moment } from '../parts/amount.ts'
import { type Sent, button, form, hidden, postForm, problem, submit } from '../parts/form.ts'
import { layout } from '../parts/layout.ts'
import { levelTable } from '../parts/level-table.ts'

/** How the learner of the page shows who it is, as part of addresses and forms. */
export type OwnAs = Readonly<Record<string, string>>

const micros = (at: bigint): Html => moment(at / 1_000_000n)

/** What a game holds on the learner who looks: in words, to take, to have erased. */
export function ownDataPage(
  visit: Visit,
  { game, studio }: GetPublishedGameResponse,
  own: GetOwnDataResponse & { readonly devices: readonly Device[] },
  as: OwnAs,
  { failure, done }: { failure?: Failure; done?: string } = {},
): Html {
  const { known, request, mayAsk } = own
  const { slug, name, studioName } = game!
  const { lastSeen, firstSeen, sessions, statements, name: called } = known!.learner!
  const learner = text(called) ?? 'you'
  const at = `/play/${slug}/data`
  return layout(
    visit,
    `Your data in ${name}`,
    html`
      <p>This is what ${name} holds about <strong>${learner}</strong>. ${studioName} sees it, too.</p>
      ${
        !known!.complete &&
        html`<p class="notice" role="status">Your latest results are still being counted. Reload the page in
        a moment.</p>`
      }
      <dl class="facts"><dt>Played</dt><dd>${
        lastSeen > 0n
          ? html`${counted(sessions, 'session')}, first ${micros(firstSeen)}, last ${micros(lastSeen)}`
          : 'nothing has been stored yet'
      }</dd>
        ${
          lastSeen > 0n &&
          html`<dt>Stored</dt><dd>${counted(statements, 'statement')}${
            known!.documents.length > 0 && html` and ${counted(known!.documents.length, 'saved document')}`
          }</dd>`
        }
        ${known!.consents.map(
          ({ agreed, version }) =>
            html`<dt>You agreed</dt><dd>on ${moment(agreed)} to the text of the studio${
              version !== known!.consentVersion && ', which has changed since'
            }</dd>`,
        )}</dl>
      ${levelTable(known!.levels, { heading: 'What you reached', game: game! })}${said(visit, own, game!)}${documents(own)}${devicesOf(visit, at, as, own.devices)}
      <section class="card" aria-labelledby="take"><h2 id="take">Take your data</h2>
        <p>The file has all of it, each result as a line of JSON.</p>
        <p class="actions"><a class="button" href="${at}/export?${new URLSearchParams(as).toString()}" download>Take my data</a></p></section>
      <section class="card" aria-labelledby="erase"><h2 id="erase">Have it erased</h2>${problem(failure, { sure: 'The check mark' })}${mayAsk ? erasure(visit, at, as, learner, studioName, request) : whereToAsk(studio!)}</section>
      <p class="actions"><a class="button quiet" href="/play/${slug}${wayBack(as)}">Back to the game</a></p>`,
    { width: 'narrow', forLearners: true, done, styles: ['play.css'] },
  )
}

/** Asks a remembered learner for the code before anything is shown. */
export function codePage(visit: Visit, { game, studio }: GetPublishedGameResponse, sent: Sent = {}): Html {
  const { slug, name } = game!
  return layout(
    visit,
    `Your data in ${name}`,
    html`<div class="card">${form(visit, `/play/${slug}/data/code`, sent, [
      html`<p>This computer remembers a player, but others may use it, too. Give the code that you got when you left the game
        for the first time.</p>`,
      {
        name: 'code',
        label: 'Your code',
        hint: '8 letters and digits, such as K7MX-2QPD',
        required: true,
        maxLength: 20,
        autocomplete: 'off',
      },
      submit('Show my data'),
    ])}</div>
      <p class="hint">Have you lost it? Write to <a href="/studios/${studio!.slug}">${studio!.name}</a>: they see your data, too, and can
      send or erase it.</p>
      <p class="actions"><a class="button quiet" href="/play/${slug}">Back to the game</a></p>`,
    { width: 'narrow', forLearners: true, styles: ['play.css'] },
  )
}

const wayBack = ({ as, invitation }: OwnAs): string =>
  invitation !== undefined ? `?invitation=${encodeURIComponent(invitation)}` : as === 'session' ? '/game' : ''

function said({ request }: Visit, { statements, known }: GetOwnDataResponse, game: NamedGame): Html | undefined {
  if (statements.length === 0) return undefined
  const languages = languagesIn(request.get('accept-language') ?? '')
  const rows = statements.map((bytes) => {
    const statement = JSON.parse(Buffer.from(bytes).toString()) as { timestamp: string }
    return html`<li>${sentence(describe(statement, languages, game))}
      <span class="hint">${moment(statement.timestamp)}</span></li>`
  })
  const isAll = known!.learner!.statements <= BigInt(statements.length)
  return html`<section aria-labelledby="said"><h2 id="said">What you did</h2>
      ${!isAll && html`<p class="hint">The latest ${statements.length}. The file has all.</p>`}<ol class="did"
      tabindex="0" aria-label="What you did">${rows}</ol></section>`
}

function documents({ known }: GetOwnDataResponse): Html | undefined {
  if (known!.documents.length === 0) return undefined
  return html`<section aria-labelledby="documents"><h2 id="documents">Saved by the game</h2>
      <ul>${known!.documents.map(
        ({ id, size, written }) => html`<li>${text(id) ?? 'Without a name'}, ${inBytes(size)}, ${micros(written)}</li>`,
      )}</ul></section>`
}

function devicesOf(visit: Visit, at: string, as: OwnAs, devices: readonly Device[]): Html | undefined {
  if (devices.length === 0) return undefined
  return html`<section class="card" aria-labelledby="devices"><h2 id="devices">Your devices</h2>
      <p>They save what you do. Have you lost one? End it.</p>
      <ul class="devices">${devices.map(
        ({ deviceId, name, lastUsed }) =>
          html`<li>${name || 'A device'} <span class="hint">last used ${moment(lastUsed)}</span> ${button(
            visit,
            `${at}/end-device`,
            'End',
            { about: name || 'A device', fields: html`${fieldsOf(as)}${hidden('device_id', deviceId)}` },
          )}</li>`,
      )}</ul></section>`
}

/** How the learner shows who it is, in a form. */
const fieldsOf = (as: OwnAs): Html[] => Object.entries(as).map(([name, value]) => hidden(name, value))

/** A session may run on while another person sits at the computer, so it is not enough to ask. */
const whereToAsk = ({ name, slug }: Pick<Studio, 'name' | 'slug'>): Html =>
  html`<p>You came here from the running game, and the game may have been left open by another player. If you have an invitation, open its link again and choose “Your data in this game” there. Otherwise write to <a href="/studios/${slug}">${name}</a>.</p>`

function erasure(
  visit: Visit,
  at: string,
  as: OwnAs,
  learner: string,
  studio: string,
  request: ErasureRequest | undefined,
): Html {
  const who = fieldsOf(as)
  if (request?.outcome === '')
    return html`<p>You asked for it on ${moment(request.asked)}. ${studio} decides. Without a decision, everything about
      <strong>${learner}</strong> is erased on ${moment(request.due)}.</p>
        ${postForm(visit, `${at}/keep`, html`${who}${submit('Keep my data')}`)}`
  return html`
        ${
          request?.outcome === 'refused' &&
          html`<p class="notice warn">${studio} refused on ${moment(request.decided)}: ${request.reason}</p>`
        }
        <p>All results of <strong>${learner}</strong> in this game are then gone for good, and so is what the game
        saved. ${studio} can erase it at once, or refuse and give a reason. Without a decision it is erased after
        ${erasureRequests.days} days. Until then you can take the request back here.</p>
        ${postForm(
          visit,
          `${at}/erase`,
          html`${who}<label class="option"><input type="checkbox" name="sure" value="yes" required>
          <span>I am ${learner}, and I want my data to be erased<small>On a shared computer: do not ask for another
          person.</small></span></label>
          ${submit('Ask for the erasure', { className: 'danger' })}`,
        )}`
}
