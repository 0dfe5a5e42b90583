import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { html, paragraphs, type Html } from '../../html.ts'
import type { Form, Visit } from '../../visit.ts'
import { field, postForm, problem, submit } from '../parts/form.ts'
import { desktopLaunch, gameFrame, timeLeft } from '../game/game-frame.ts'
import { layout } from '../parts/layout.ts'
import { cover, packagePath } from '../game/media.ts'

export interface Entrance {
  readonly failure?: Failure
  readonly values: Form
  /** The invitation, its learner, and the version of the consent text that the learner agreed to. */
  readonly invited?: { readonly code: string; readonly name: string; readonly agreed: string }
  /** The learner whom this browser remembers. */
  readonly known?: string
}

/** The page where a learner enters a name or continues. */
export function entrancePage(
  visit: Visit,
  { game, consent, consentVersion }: GetPublishedGameResponse,
  { failure, values, invited, known }: Entrance,
): Html {
  const { name, slug, studioName } = game!
  const action = `/play/${slug}`
  // a learner whom this browser remembers may have agreed already: core says if not
  const hasAgreed = invited ? invited.agreed === consentVersion : known !== undefined
  const isAsked = consent !== '' && (failure?.path === 'consent' || !hasAgreed)
  const refusal = failure?.path === 'consent' ? undefined : failure
  const start = (text: string): Html =>
    isAsked
      ? html`<div class="consent" tabindex="0" role="region" aria-label="What you agree to">${paragraphs(consent)}</div>
        <input type="hidden" name="consent" value="${consentVersion}">
        ${submit('I agree: play', {
          className: 'large',
          beside: html` <a class="button quiet" href="/g/${slug}">Do not play</a>`,
        })}`
      : submit(text, { className: 'large' })
  const asked = invited
    ? postForm(
        visit,
        action,
        html`${problem(refusal)}<p class="greeting">Hello ${invited.name}, this game is for you.</p>
        <input type="hidden" name="invitation" value="${invited.code}">${start('Play')}`,
      )
    : known !== undefined
      ? html`${postForm(
          visit,
          action,
          html`${problem(refusal)}<p class="greeting">Welcome back, ${known}!</p>
          <input type="hidden" name="as" value="before">${start('Continue')}`,
        )}
        ${postForm(
          visit,
          `${action}/forget`,
          html`<button class="quiet small">Forget me on this computer</button>`,
          'forget',
        )}
        <details><summary>I am not ${known}</summary>${nameForm(visit, action, values, start('Play'))}</details>`
      : nameForm(visit, action, values, start('Play'), refusal)
  return layout(
    visit,
    name,
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">By ${studioName}</p>${asked}
        <p class="hint">The studio sees your name and what you achieve in the game.${!invited && ' Any name will do.'}${
          (invited !== undefined || known !== undefined) &&
          html` <a href="${action}/data${invited ? `?invitation=${encodeURIComponent(invited.code)}` : ''}">Your data in
          this game</a>`
        }</p></div></div>`,
    { bare: true, width: 'narrow', forLearners: true, styles: ['play.css', 'game.css'] },
  )
}

const nameForm = (visit: Visit, action: string, values: Form, start: Html, failure?: Failure): Html =>
  postForm(
    visit,
    action,
    html`
      ${problem(failure, { learner_name: 'Your name' })}
      ${field({
        name: 'learner_name',
        label: 'What do you want to be called?',
        value: values('learner_name'),
        required: true,
        maxLength: 100,
        autocomplete: 'nickname',
        failure,
      })}
      <label class="option"><input type="checkbox" name="remember"
      value="yes"${values('remember') !== '' && html` checked`}>
        <span>Remember me on this computer<small>You can then continue here another day. Leave it unchecked on a shared
        computer.</small></span></label>
      ${start}`,
  )

/** The game, as large as the window. */
export function gamePlayPage(visit: Visit, { game, build }: GetPublishedGameResponse, launch: Launch): Html {
  const { name, slug } = game!
  const download = packagePath(visit, build!)
  return layout(
    visit,
    name,
    html`
      <div class="play-bar"><h1>${name}</h1><p>${launch.learnerName} · ${timeLeft(launch.expires)}</p>
        <div class="actions">${
          download === undefined &&
          html`<button type="button" class="quiet small" id="full-screen" hidden>Full screen</button>`
        }
          <a class="button quiet small" href="/play/${slug}/data?as=session">Your data</a>${postForm(
            visit,
            `/play/${slug}/end`,
            html`<button class="quiet small" id="leave">Leave</button>`,
            'inline',
          )}</div></div>
      <p class="notice warn over-notice" role="status"><span>The session has ended. What you do now is not saved.</span>
      <a href="/play/${slug}">Start again</a></p>
      ${
        download !== undefined
          ? html`<div class="card">${desktopLaunch(visit, launch, {
              download,
              launchFile: `/play/${slug}/launch.json`,
            })}</div>`
          : gameFrame(visit, launch, name)
      }`,
    {
      bare: true,
      forLearners: true,
      width: download === undefined ? 'whole' : 'wide',
      scripts: ['frame.js', 'play.js', ...(download === undefined ? [] : ['copy.js'])],
      styles: ['play.css', 'sandbox.css', 'game.css'],
    },
  )
}

/** After the game. @param known name of the remembered learner; undefined: none */
export function goodbyePage(visit: Visit, { game, studio }: GetPublishedGameResponse, known: string | undefined): Html {
  const { slug } = game!
  return layout(
    visit,
    'Thank you for playing',
    html`<div class="card empty">
      <p>Your results are saved. ${
        known === undefined
          ? 'This computer does not remember you: the next player starts from the beginning.'
          : html`This computer remembers ${known}, who can continue later. <a href="/play/${slug}/data">Your data in
          this game</a>.`
      }</p>
      <div class="actions"><a class="button" href="/play/${slug}">Play again</a>
      <a class="button quiet" href="/g/${slug}">About ${game!.name}</a>
        <a class="button quiet" href="/studios/${studio!.slug}">More by ${studio!.name}</a></div></div>`,
    { width: 'narrow', forLearners: true },
  )
}
