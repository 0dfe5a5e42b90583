import type { Studio } from '../../../gen/lrs/v1/accounts_pb.js'
import { erasureRequests } from '../../../shared/limits.ts'
import type { Device } from '../../../gen/lrs/v1/devices_pb.js'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import type { ErasureRequest, GetOwnDataResponse } from '../../../gen/lrs/v1/own_data_pb.js'
import { describe, languagesIn, sentence, text, type NamedGame } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import type { Say } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { inBytes, moment } from '../parts/amount.ts'
import { type Sent, button, form, hidden, postForm, problem, submit } from '../parts/form.ts'
import { layout } from '../parts/layout.ts'
import { levelList } from '../parts/level-stars.ts'
import { drawing } from '../parts/pictures.ts'

/** How the learner of the page shows who it is, as part of addresses and forms. */
export type OwnAs = Readonly<Record<string, string>>

const micros = (say: Say, at: bigint): Html => moment(at / 1_000_000n, 'minute', say.language)

/** What a game holds on the learner who looks: in words, to take, to have erased. */
export function ownDataPage(
  visit: Visit,
  { game, studio }: GetPublishedGameResponse,
  own: GetOwnDataResponse & { readonly devices: readonly Device[] },
  as: OwnAs,
  { failure, done }: { failure?: Failure; done?: string } = {},
): Html {
  const { known, request, mayAsk } = own
  const { say } = visit
  const { slug, name, studioName } = game!
  const { lastSeen, firstSeen, sessions, statements, name: called } = known!.learner!
  const learner = text(called) ?? say.text('data.you')
  const at = `/play/${slug}/data`
  return layout(
    visit,
    say.text('data.title', { game: name }),
    html`<div class="child"><p class="picture">${drawing('owl')}</p><h1>${say('data.title', { game: name })}</h1>
      <p class="greeting">${say('data.holds', { game: name, name: learner, studio: studioName })}</p>
      ${!known!.complete && html`<p class="notice" role="status">${say('data.counting')}</p>`}
      <p class="actions"><a class="button" href="/play/${slug}${wayBack(as)}">${say('data.back')}</a></p>
      ${known!.levels.length > 0 && html`<section class="card" aria-labelledby="reached"><h2 id="reached">${say('data.reached')}</h2>${levelList(say, known!.levels, game!)}</section>`}
      <section class="card" aria-labelledby="all"><h2 id="all">${say('data.did')}</h2><p>${
        lastSeen > 0n
          ? say('data.sessions', { sessions, first: micros(say, firstSeen), last: micros(say, lastSeen) })
          : say('data.never')
      }</p>${known!.consents.map(
        ({ agreed, current }) =>
          html`<p>${say(current ? 'data.agreedOn' : 'data.agreedBefore', {
            when: moment(agreed, 'minute', say.language),
          })}</p>`,
      )}${
        lastSeen > 0n &&
        html`<details><summary>${say('data.statements', { statements, documents: known!.documents.length })}</summary>${said(visit, own, game!)}${documents(say, own)}</details>`
      }</section>${devicesOf(visit, at, as, own.devices)}
      <section class="card" aria-labelledby="take"><h2 id="take">${say('data.take')}</h2>
        <p>${say('data.takeHint')}</p>
        <p class="actions"><a class="button quiet" href="${at}/export?${new URLSearchParams(as).toString()}" download>${say('data.takeButton')}</a></p></section>
      <section class="card" aria-labelledby="erase"><h2 id="erase">${say('data.erase')}</h2>${problem(failure)}${mayAsk ? erasure(visit, at, as, learner, studioName, request) : whereToAsk(say, studio!)}</section></div>`,
    { width: 'narrow', forLearners: true, bare: true, done, styles: ['play.css'] },
  )
}

/** Asks a remembered learner for the code before anything is shown. */
export function codePage(visit: Visit, { game, studio }: GetPublishedGameResponse, sent: Sent = {}): Html {
  const { slug, name } = game!
  const { say } = visit
  return layout(
    visit,
    say.text('data.title', { game: name }),
    html`<div class="card child">${form(visit, `/play/${slug}/data/code`, sent, [
      html`<p>${say('data.askCode')}</p>`,
      {
        name: 'code',
        label: say.text('data.code'),
        hint: say('data.codeHint'),
        required: true,
        maxLength: 20,
        autocomplete: 'off',
      },
      submit(say('data.show')),
    ])}</div>
      <p class="hint">${say('data.lost', linkTo(studio!))}</p>
      <p class="actions"><a class="button quiet" href="/play/${slug}">${say('data.back')}</a></p>`,
    { width: 'narrow', forLearners: true, styles: ['play.css'] },
  )
}

const wayBack = ({ as, invitation }: OwnAs): string =>
  invitation !== undefined ? `?invitation=${encodeURIComponent(invitation)}` : as === 'session' ? '/game' : ''

function said({ request, say }: Visit, { statements, known }: GetOwnDataResponse, game: NamedGame): Html | undefined {
  if (statements.length === 0) return undefined
  const languages = [say.language, ...languagesIn(request.get('accept-language') ?? '')]
  const rows = statements.map((bytes) => {
    const statement = JSON.parse(Buffer.from(bytes).toString()) as {
      timestamp: string
      verb: { id: string }
    }
    const told = describe(statement, languages, game, say)
    // a word of the standard that children do not know
    const did = statement.verb.id.endsWith('/initialized') ? say.text('seen.started') : told.did
    return html`<li>${sentence({ ...told, did }, say)}
      <span class="hint">${moment(statement.timestamp, 'minute', say.language)}</span></li>`
  })
  const isAll = known!.learner!.statements <= BigInt(statements.length)
  return html`${!isAll && html`<p class="hint">${say('data.latest', { count: statements.length })}</p>`}<ol class="did"
      tabindex="0" aria-label="${say('data.did')}">${rows}</ol>`
}

function documents(say: Say, { known }: GetOwnDataResponse): Html | undefined {
  if (known!.documents.length === 0) return undefined
  return html`<h3>${say('data.documents')}</h3>
      <ul>${known!.documents.map(
        ({ id, size, written }) =>
          html`<li>${say('data.document', {
            name: text(id) ?? say.text('data.unnamed'),
            size: inBytes(size),
            when: micros(say, written),
          })}</li>`,
      )}</ul>`
}

function devicesOf(visit: Visit, at: string, as: OwnAs, devices: readonly Device[]): Html | undefined {
  const { say } = visit
  if (devices.length === 0) return undefined
  return html`<section class="card" aria-labelledby="devices"><h2 id="devices">${say('data.devices')}</h2>
      <p>${say('data.devicesHint')}</p>
      <ul class="devices">${devices.map(
        ({ deviceId, name, lastUsed }) =>
          html`<li>${name || say('data.device')} <span class="hint">${say('data.lastUsed', {
            when: moment(lastUsed, 'minute', say.language),
          })}</span> ${button(visit, `${at}/end-device`, say('data.endDevice'), {
            about: name || say('data.device'),
            fields: html`${fieldsOf(as)}${hidden('device_id', deviceId)}`,
          })}</li>`,
      )}</ul></section>`
}

/** How the learner shows who it is, in a form. */
const fieldsOf = (as: OwnAs): Html[] => Object.entries(as).map(([name, value]) => hidden(name, value))

/** A session may run on while another person sits at the computer, so it is not enough to ask. */
const whereToAsk = (say: Say, studio: Addressee): Html => html`<p>${say('data.whereToAsk', linkTo(studio))}</p>`

type Addressee = Pick<Studio, 'name' | 'slug'>
const linkTo = ({ name, slug }: Addressee) => ({
  name,
  studio: (parts: (string | Html)[]) => html`<a href="/studios/${slug}">${parts}</a>`,
})

function erasure(
  visit: Visit,
  at: string,
  as: OwnAs,
  learner: string,
  studio: string,
  request: ErasureRequest | undefined,
): Html {
  const { say } = visit
  const when = (at: bigint) => moment(at, 'minute', say.language)
  const who = fieldsOf(as)
  if (request?.outcome === '')
    return html`<p>${say('data.erasing', { when: when(request.asked), due: when(request.due), studio, name: learner })}</p>
        ${postForm(visit, `${at}/keep`, html`${who}${submit(say('data.keep'))}`)}`
  return html`
        ${
          request?.outcome === 'refused' &&
          html`<p class="notice warn">${say('data.refused', { studio, when: when(request.decided), reason: request.reason })}</p>`
        }
        <p>${say('data.eraseWhat', { name: learner })} ${say('data.eraseWho', { studio, days: erasureRequests.days })}</p>
        ${postForm(
          visit,
          `${at}/erase`,
          html`${who}<label class="option"><input type="checkbox" name="sure" value="yes" required>
          <span>${say('data.eraseSure', { name: learner })}<small>${say('data.eraseShared')}</small></span></label>
          ${submit(say('data.eraseButton'), { className: 'danger' })}`,
        )}`
}
