import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Form, Visit } from '../../../web/visit.ts'
import { form, hidden, postForm, submit } from '../../parts/form.ts'
import { desktopLaunch, gameFrame, timeLeft } from '../game-frame.ts'
import { layout } from '../../parts/layout.ts'
import { cover, packagePath } from '../../parts/media.ts'
import { openForm } from './device.ts'
import { embedWays, playWays, type Ways } from './ways.ts'

export interface Entrance {
  readonly failure?: Failure
  readonly values: Form
  /** The invitation, its learner, and the version of the consent text that the learner agreed to. */
  readonly invited?: { readonly code: string; readonly name: string; readonly agreed: string }
  /** The learner whom this browser remembers. */
  readonly known?: string
  /** The page is in a frame of another site, and remembers no learner. */
  readonly embedded?: Embedded
  /** The code by which an installed game asks to be linked with the learner. */
  readonly device?: string
}

export interface Embedded {
  /** The session that the tab wanted to continue has ended. */
  readonly over: boolean
}

/** The page where a learner enters a name or continues. */
export function entrancePage(
  visit: Visit,
  { game, consent, consentVersion, player }: GetPublishedGameResponse,
  { failure, values, invited, known, embedded, device }: Entrance,
): Html {
  const { name, slug, studioName } = game!
  const { start, forget } = embedded ? embedWays(slug, invited?.code) : playWays(slug)
  const action = device === undefined ? start : '/device/allow'
  const verb = device === undefined ? 'Play' : 'Link the game'
  const linked = device !== undefined && hidden('user_code', device)
  // a learner whom this browser remembers may have agreed already: core says if not
  const hasAgreed = invited ? invited.agreed === consentVersion : known !== undefined
  const isAsked = consent !== '' && (failure?.path === 'consent' || !hasAgreed)
  const refusal = failure?.path === 'consent' ? undefined : failure
  const buttons = (text: string): Html =>
    isAsked
      ? html`${linked}<div class="consent" tabindex="0" role="region" aria-label="What you agree to">${paragraphs(consent)}</div>
        <input type="hidden" name="consent" value="${consentVersion}">
        ${submit(`I agree: ${verb.toLowerCase()}`, {
          className: 'large',
          beside: embedded || linked ? undefined : html` <a class="button quiet" href="/g/${slug}">Do not play</a>`,
        })}`
      : html`${linked}${submit(text, { className: 'large' })}`
  const asked = invited
    ? form(visit, action, { failure: refusal }, [
        html`<p class="greeting">Hello ${invited.name}, this game is for you.</p>
        <input type="hidden" name="invitation" value="${invited.code}">${buttons(verb)}`,
      ])
    : known !== undefined
      ? html`${form(visit, action, { failure: refusal }, [
          html`<p class="greeting">Are you ${known}?</p>
          <input type="hidden" name="as" value="before">${buttons(linked ? 'Yes, link the game' : 'Yes, continue')}`,
        ])}
        ${!linked && postForm(visit, forget, html`<button class="quiet small">Forget me on this device</button>`, 'forget')}
        <details><summary>No, I am not ${known}</summary>${nameForm(visit, action, values, buttons(verb))}</details>`
      : nameForm(visit, action, values, buttons(verb), refusal, !embedded)
  return layout(
    visit,
    name,
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">By ${studioName}</p>${
          linked &&
          html`<p>${name} asks to save what you do there.</p>
            <p>It shows this code: <strong class="shown">${device}</strong></p>
            <p>Does it show another one? Then do not link it.</p>`
        }${asked}${
          linked && postForm(visit, '/device/deny', html`${linked}<button class="quiet">Do not link</button>`, 'forget')
        }
        <p class="hint">The studio sees your name and what you achieve in the game.${!invited && ' Any name will do.'}${
          !embedded &&
          (invited !== undefined || known !== undefined) &&
          html` <a href="${start}/data${invited ? `?invitation=${encodeURIComponent(invited.code)}` : ''}">Your data in
          this game</a>`
        }</p>${
          player?.devices &&
          !embedded &&
          !linked &&
          html`<p class="hint">Does your installed game show a code? <a href="/device${
            invited && `?invitation=${encodeURIComponent(invited.code)}`
          }">Link it</a></p>`
        }</div></div>${embedded && !embedded.over && resumeForm(visit, slug, invited?.code)}`,
    {
      bare: true,
      width: embedded ? 'framed' : 'narrow',
      forLearners: true,
      done: embedded?.over ? 'The session has ended. Start again to play on.' : undefined,
      scripts: embedded ? ['embed.js'] : [],
      styles: ['play.css', 'game.css'],
    },
  )
}

const nameForm = (visit: Visit, action: string, values: Form, start: Html, failure?: Failure, remembers = true): Html =>
  form(visit, action, { failure, values }, [
    learnerName,
    remembers &&
      html`<label class="option"><input type="checkbox" name="remember"
      value="yes"${values('remember') !== '' && html` checked`}>
        <span>Remember me on this device<small>You can then continue here another day. Leave it unchecked on a shared
        computer.</small></span></label>`,
    start,
  ])

/** Under which name somebody plays. */
export const learnerName = {
  name: 'learner_name',
  label: 'What do you want to be called?',
  called: 'Your name',
  required: true,
  maxLength: 100,
  autocomplete: 'nickname',
}

/** embed.js submits it when the tab has a running session, whose secret is in no address and in no cookie. */
const resumeForm = (visit: Visit, slug: string, invitation: string | undefined): Html =>
  html`<form method="post" action="${embedWays(slug, invitation).game}" id="resume" hidden>${visit.csrf}<input
    type="hidden" name="session"></form>`

/** The game, as large as the window. */
export function gamePlayPage(
  visit: Visit,
  { game, build }: Pick<GetPublishedGameResponse, 'game' | 'build'>,
  launch: Launch,
  ways: Ways = playWays(game!.slug),
): Html {
  const { name, slug } = game!
  const isOpened = ways.opens && launch.player?.devices && launch.player.launchLink !== ''
  const open = (className: string) => isOpened && openForm(visit, slug, 'Open the installed game', className)
  const download = packagePath(visit, build!, launch.buildId === build!.buildId ? launch.files : '')
  return layout(
    visit,
    name,
    html`
      <div class="play-bar"><h1>${name}</h1><p>${launch.learnerName} · ${timeLeft(launch.expires)}</p>
        <div class="actions">${
          download === undefined &&
          html`<button type="button" class="quiet small" id="full-screen" hidden>Full screen</button>${open('quiet small')}`
        }
          ${ways.data !== undefined && html`<a class="button quiet small" href="${ways.data}">Your data</a>`}<form
          method="post" action="${ways.end}" class="inline" id="end" data-result="${ways.result}">${visit.csrf}${
            ways.embedded && hidden('session', launch.sessionSecret)
          }<button class="quiet small" id="leave">Leave</button></form></div></div>
      <p class="notice warn over-notice" role="status"><span>The session has ended. What you do now is not saved.</span>
      <a href="${ways.start}">Start again</a></p>
      <div class="reached" role="status"><div class="card" hidden><p></p><div class="actions"><button form="end">See
      your result</button> <button type="button" class="quiet" id="play-on">Play on</button></div></div></div>
      ${
        download !== undefined
          ? html`<div class="card">${open('large')}${desktopLaunch(visit, launch, { download, launchFile: ways.launchFile })}</div>`
          : gameFrame(visit, launch, name)
      }`,
    {
      bare: true,
      forLearners: true,
      width: download === undefined ? 'whole' : 'wide',
      scripts: [
        'frame.js',
        'play.js',
        ...(download === undefined ? [] : ['copy.js']),
        ...(ways.embedded ? ['embed.js'] : []),
      ],
      styles: ['play.css', 'sandbox.css', 'game.css'],
    },
  )
}
