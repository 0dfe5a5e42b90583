import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../html.ts'
import type { Form, Visit } from '../visit.ts'
import { field, postForm, problem, submit } from './form.ts'
import { desktopLaunch, gameFrame, timeLeft } from './game-frame.ts'
import { layout } from './layout.ts'
import { cover, packagePath } from './media.ts'

export interface Entrance {
  readonly failure?: Failure
  readonly values: Form
  /** The invitation and its learner. */
  readonly invited?: { readonly code: string; readonly name: string }
  /** The learner whom this browser remembers. */
  readonly known?: string
}

/** The page where a learner enters a name or continues. */
export function entrancePage(
  visit: Visit,
  { game }: GetPublishedGameResponse,
  { failure, values, invited, known }: Entrance,
): Html {
  const { name, slug, studioName } = game!
  const action = `/play/${slug}`
  const asked = invited
    ? postForm(
        visit,
        action,
        html`${problem(failure)}<p class="greeting">Hello ${invited.name}, this game is for you.</p>
        <input type="hidden" name="invitation" value="${invited.code}">${submit('Play', { className: 'large' })}`,
      )
    : known !== undefined
      ? html`${postForm(
          visit,
          action,
          html`${problem(failure)}<p class="greeting">Welcome back, ${known}!</p>
          <input type="hidden" name="as" value="before">${submit('Continue', { className: 'large' })}`,
        )}
        ${postForm(visit, `${action}/forget`, html`<button class="quiet small">Forget me on this computer</button>`, 'forget')}
        <details><summary>I am someone else</summary>${nameForm(visit, action, values)}</details>`
      : nameForm(visit, action, values, failure)
  return layout(
    visit,
    name,
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">By ${studioName}</p>${asked}
        <p class="hint">The studio sees your name and what you achieve in the game.${!invited && ' Any name will do.'}</p></div></div>`,
    { bare: true, width: 'narrow', forLearners: true, styles: ['play.css', 'game.css'] },
  )
}

const nameForm = (visit: Visit, action: string, values: Form, failure?: Failure): Html =>
  postForm(
    visit,
    action,
    html`
      ${problem(failure, { learner_name: 'Your name' })}
      ${field({ name: 'learner_name', label: 'What do you want to be called?', value: values('learner_name'), required: true, maxLength: 100, autocomplete: 'nickname', failure })}
      <label class="option"><input type="checkbox" name="remember" value="yes"${values('remember') !== '' && html` checked`}>
        <span>Remember me on this computer<small>You can then continue here another day. Leave it unchecked on a shared computer.</small></span></label>
      ${submit('Play', { className: 'large' })}`,
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
        <div class="actions">${download === undefined && html`<button type="button" class="quiet small" id="full-screen" hidden>Full screen</button>`}
          ${postForm(visit, `/play/${slug}/end`, html`<button class="quiet small" id="leave">Leave</button>`, 'inline')}</div></div>
      <p class="notice warn over-notice" role="status"><span>The session has ended. What you do now is not saved.</span> <a href="/play/${slug}">Start again</a></p>
      ${
        download !== undefined
          ? html`<div class="card">${desktopLaunch(visit, launch, { download, launchFile: `/play/${slug}/launch.json` })}</div>`
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
          : html`This computer remembers ${known}, who can continue later.`
      }</p>
      <div class="actions"><a class="button" href="/play/${slug}">Play again</a> <a class="button quiet" href="/g/${slug}">About ${game!.name}</a>
        <a class="button quiet" href="/studios/${studio!.slug}">More by ${studio!.name}</a></div></div>`,
    { width: 'narrow', forLearners: true },
  )
}
