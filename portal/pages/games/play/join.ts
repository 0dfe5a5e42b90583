import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { GetSeatResponse } from '../../../../gen/lrs/v1/lessons_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { form, postForm, problem, submit, type Sent } from '../../parts/form.ts'
import { layout, type LayoutOptions } from '../../parts/layout.ts'
import { drawing, pictureName, pictures, signs } from '../../parts/pictures.ts'

const page = { width: 'narrow', forLearners: true, styles: ['play.css', 'join.css'] } as const
const ofSeat = { ...page, scripts: ['seat.js'] } as const

/** Where a child types the code of its lesson. */
export const joinPage = (visit: Visit, sent: Sent, done?: string): Html =>
  layout(
    visit,
    visit.say.text('join.title'),
    html`<div class="card join">${codeForm(visit, sent, visit.say.text('join.code'))}</div>`,
    { ...page, done } satisfies LayoutOptions,
  )

/** One large field for the code of a lesson; the home page has it, too. */
export const codeForm = (visit: Visit, { failure, values }: Sent, label: string): Html =>
  postForm(
    visit,
    '/join',
    html`${problem(failure)}<label for="field-code">${label}</label>
      <p class="hint" id="field-code-hint">${visit.say('join.hint')}</p>
      <input id="field-code" name="code" value="${values?.('code') ?? ''}" inputmode="numeric" autocomplete="off" required
        maxlength="40" aria-describedby="field-code-hint"><button class="large">${visit.say('join.go')}</button>`,
    'form lesson-code',
  )

/** Before the teacher lets the seat in: nothing of the lesson but the seat's own sign. */
export function waitPage(visit: Visit, { sign }: GetSeatResponse): Html {
  const { say } = visit
  const animal = signs[sign]!
  return layout(
    visit,
    say.text('join.wait'),
    html`<div class="card join" data-seat="waiting"><p class="sign">${drawing(animal)}</p>
      <p class="greeting">${say('join.sign', { animal: pictureName(say, animal) })}</p><p>${say('join.show')}</p>
      <div class="actions"><noscript><a class="button" href="/join/wait">${say('join.again')}</a></noscript>
      ${leaveForm(visit, say('join.away'))}</div></div>`,
    ofSeat,
  )
}

/** Who is at the seat: a name, and a picture as a second mark. No list of names is shown. */
export function namePage(visit: Visit, sent: Sent): Html {
  const { say } = visit
  const chosen = sent.values?.('picture')
  return layout(
    visit,
    say.text('join.who'),
    html`<div class="card join" data-seat="in">${form(visit, '/join/name', sent, [
      {
        name: 'name',
        label: say.text('join.name'),
        hint: say('join.nameHint'),
        required: true,
        maxLength: 100,
        autocomplete: 'off',
      },
      html`<fieldset class="pictures"><legend>${say('join.picture')}</legend><p class="hint">${say('join.pictureHint')}</p>
        <div>${pictures.map(
          (picture, n) =>
            html`<label><input type="radio" name="picture" value="${n}" required${
              chosen === String(n) && html` checked`
            }>${drawing(picture)}<span>${pictureName(say, picture)}</span></label>`,
        )}</div></fieldset>`,
      submit(say('join.play'), { className: 'large' }),
    ])}</div>`,
    ofSeat,
  )
}

/** Before the game, when it has not started yet. */
export function readyPage(visit: Visit, { name, gameName, paused }: GetSeatResponse): Html {
  const { say } = visit
  return layout(
    visit,
    // the title stays in the history of a shared computer
    say.text('join.title'),
    html`<h1>${say('join.hello', { name })}</h1><div class="card join" data-seat="named"><p class="greeting">${say('join.next', { game: gameName })}</p>
      ${paused && html`<p>${say('join.paused')}</p>`}
      <div class="actions">${postForm(visit, '/join/play', html`<button class="large">${say('join.play')}</button>`, 'inline')}
      ${leaveForm(visit, say('join.done'))}</div></div>`,
    { ...ofSeat, bare: true },
  )
}

/** Where a printed card leads. A press takes the seat: programs that look at links take none. */
export const cardPage = (visit: Visit, code: string, failure?: Failure): Html =>
  layout(
    visit,
    visit.say.text('join.card'),
    html`<div class="card join">${problem(failure)}<p>${visit.say('join.cardHint')}</p>
      ${postForm(visit, `/c/${encodeURIComponent(code)}`, html`<button class="large">${visit.say('join.play')}</button>`)}</div>`,
    page,
  )

const leaveForm = (visit: Visit, text: Html): Html =>
  postForm(visit, '/join/leave', html`<button class="quiet large">${text}</button>`, 'inline')

/** Around the game of a lesson: covers it while the lesson is paused, and goes on with the lesson's next game. */
export const lessonCover = (visit: Visit, slug: string): Html =>
  html`<dialog class="look" data-seat="playing" data-game="${slug}" aria-labelledby="look"><p id="look">${drawing('owl')}${visit.say('join.paused')}</p></dialog>${postForm(visit, '/join/play', html`<span id="next"></span>`, 'next')}`
