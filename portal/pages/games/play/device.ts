import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { devices } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { field, hidden, postForm, problem, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

const page = { width: 'narrow', forLearners: true, styles: ['play.css', 'game.css'] } as const

/** Where a learner types the code that an installed game shows. */
export function deviceCodePage(visit: Visit, { failure, values }: Sent, done?: string): Html {
  const invitation = visit.query('invitation')
  return layout(
    visit,
    'Link your game',
    html`<div class="card"><form action="/device" class="form device-code">${problem(failure, { user_code: 'The code' })}
      ${invitation !== '' && hidden('invitation', invitation)}
      ${field({
        name: 'user_code',
        label: 'Which code does your game show?',
        hint: `Such as BDFH-KMPR. It is good for ${devices.codeSeconds / 60} minutes.`,
        value: values?.('user_code') ?? '',
        required: true,
        maxLength: 20,
        autocomplete: 'off',
        failure,
      })}
      <div class="actions"><button class="large">Go on</button></div></form></div>`,
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
  return layout(
    visit,
    'Your game is linked',
    html`<div class="card"><p>Go back to ${name}. It goes on by itself.</p>${
      code !== undefined &&
      html`<p>Your code is <strong>${code}</strong>. Write it down: you need it to see your data later.</p>`
    }
      <p>Have you lost the device? ${
        known
          ? html`End it under <a href="/play/${slug}/data">your data</a>.`
          : html`Write to <a href="/studios/${studio!.slug}">${studio!.name}</a>, who can end it.`
      }</p>
      <div class="actions"><a class="button quiet" href="/device">Enter another code</a>
        <a class="button quiet" href="/g/${slug}">About ${name}</a></div></div>`,
    page,
  )
}

/** What opens the installed game, once. */
export function openGamePage(visit: Visit, { game }: GetPublishedGameResponse, link: string): Html {
  const { name, slug } = game!
  return layout(
    visit,
    name,
    html`<div class="card"><p>This link works once, for ${devices.linkSeconds} seconds.</p>
      <p>Nothing opens? Install the game first, then make a new link.</p>
      <div class="actions"><a class="button large" href="${link}">Open ${name}</a>
        ${openForm(visit, slug, 'Make a new link', 'quiet')}
        <a class="button quiet" href="/play/${slug}/game">Back</a></div></div>`,
    page,
  )
}

/** Asks for a link that opens the installed game. */
export const openForm = (visit: Pick<Visit, 'csrf'>, slug: string, text: string, className: string): Html =>
  postForm(visit, `/play/${slug}/open`, html`<button class="${className}">${text}</button>`, 'inline')
