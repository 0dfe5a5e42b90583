import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { devices } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { TextName } from '../../../web/say.ts'
import type { Visit } from '../../../web/visit.ts'
import { field, hidden, postForm, problem, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

const page = { width: 'narrow', forLearners: true, styles: ['play.css', 'game.css'] } as const

/** Where a learner types the code that an installed game shows. */
export function deviceCodePage(visit: Visit, { failure, values }: Sent, done?: string): Html {
  const invitation = visit.query('invitation')
  const { say } = visit
  return layout(
    visit,
    say.text('device.title'),
    html`<div class="card"><form action="/device" class="form device-code">${problem(failure)}
      ${invitation !== '' && hidden('invitation', invitation)}
      ${field({
        name: 'user_code',
        label: say.text('device.which'),
        hint: say('device.hint', { minutes: devices.codeSeconds / 60 }),
        value: values?.('user_code') ?? '',
        required: true,
        maxLength: 20,
        autocomplete: 'off',
        failure,
      })}
      <div class="actions"><button class="large">${say('device.goOn')}</button></div></form></div>`,
    { ...page, done },
  )
}

/** The device is linked. @param code of a new learner whom this browser remembers */
export function deviceLinkedPage(
  visit: Visit,
  { game, studio }: GetPublishedGameResponse,
  { known, code }: { known: boolean; code: string | undefined },
): Html {
  const { name, slug } = game!
  const { say } = visit
  return layout(
    visit,
    say.text('device.linked'),
    html`<div class="card"><p>${say('device.goBack', { game: name })}</p>${
      code !== undefined && html`<p>${say('end.code', { code })}</p>`
    }
      <p>${
        known
          ? say('device.lostOwn', { data: (parts) => html`<a href="/play/${slug}/data">${parts}</a>` })
          : say('device.lost', {
              name: studio!.name,
              studio: (parts) => html`<a href="/studios/${studio!.slug}">${parts}</a>`,
            })
      }</p>
      <div class="actions"><a class="button quiet" href="/device">${say('device.another')}</a>
        <a class="button quiet" href="/g/${slug}">${say('end.about', { game: name })}</a></div></div>`,
    page,
  )
}

/** What opens the installed game, once. */
export function openGamePage(visit: Visit, { game }: GetPublishedGameResponse, link: string): Html {
  const { name, slug } = game!
  const { say } = visit
  return layout(
    visit,
    name,
    html`<div class="card"><p>${say('device.once', { seconds: devices.linkSeconds })}</p>
      <p>${say('device.nothing')}</p>
      <div class="actions"><a class="button large" href="${link}">${say('device.open', { game: name })}</a>
        ${openForm(visit, slug, 'device.newLink', 'quiet')}
        <a class="button quiet" href="/play/${slug}/game">${say('device.back')}</a></div></div>`,
    page,
  )
}

/** Asks for a link that opens the installed game. */
export const openForm = (visit: Visit, slug: string, text: TextName, className: string): Html =>
  postForm(visit, `/play/${slug}/open`, html`<button class="${className}">${visit.say(text)}</button>`, 'inline')
