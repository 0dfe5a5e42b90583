import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Say, TextName } from '../../../web/say.ts'
import type { Form, Visit } from '../../../web/visit.ts'
import { form, hidden, postForm, submit } from '../../parts/form.ts'
import { desktopLaunch, gameFrame, timeLeft } from '../game-frame.ts'
import { layout } from '../../parts/layout.ts'
import { cover, packagePath } from '../../parts/media.ts'
import { openForm } from './device.ts'
import { lessonCover } from './join.ts'
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
  /** What was done. */
  readonly done?: string | undefined
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
  { game, consent, consentVersion, consentVersions, textLanguage, player }: GetPublishedGameResponse,
  { failure, values, invited, known, embedded, device, done }: Entrance,
): Html {
  const { name, slug, studioName } = game!
  const { say } = visit
  const { start, forget } = embedded ? embedWays(slug, invited?.code) : playWays(slug)
  const action = device === undefined ? start : '/device/allow'
  const linked = device !== undefined && hidden('user_code', device)
  const verb = linked ? 'device.link' : 'play.start'
  // a learner whom this browser remembers may have agreed already: core says if not
  const hasAgreed = invited ? consentVersions.includes(invited.agreed) : known !== undefined
  const isAsked = consent !== '' && (failure?.path === 'consent' || !hasAgreed)
  const refusal = failure?.path === 'consent' ? undefined : failure
  const buttons = (text: TextName): Html =>
    isAsked
      ? html`${linked}<div class="consent" lang="${textLanguage}" tabindex="0" role="region" aria-label="${say('play.consent')}">${paragraphs(consent)}</div>
        <input type="hidden" name="consent" value="${consentVersion}">
        ${submit(say(linked ? 'device.agree' : 'play.agree'), {
          className: 'large',
          beside:
            embedded || linked
              ? undefined
              : html` <a class="button quiet" href="/g/${slug}">${say('play.decline')}</a>`,
        })}`
      : html`${linked}${submit(say(text), { className: 'large' })}`
  const asked = invited
    ? form(visit, action, { failure: refusal }, [
        html`<p class="greeting">${say('play.hello', { name: invited.name })}</p>
        <input type="hidden" name="invitation" value="${invited.code}">${buttons(verb)}`,
      ])
    : known !== undefined
      ? html`${form(visit, action, { failure: refusal }, [
          html`<p class="greeting">${say('play.areYou', { name: known })}</p>
          <input type="hidden" name="as" value="before">${buttons(linked ? 'device.yes' : 'play.yes')}`,
        ])}
        ${!linked && postForm(visit, forget, html`<button class="quiet small">${say('play.forget')}</button>`, 'forget')}
        <details><summary>${say('play.no', { name: known })}</summary>${nameForm(visit, action, values, buttons(verb))}</details>`
      : nameForm(visit, action, values, buttons(verb), refusal, !embedded)
  return layout(
    visit,
    name,
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">${say('play.by', { studio: studioName })}</p>${
          linked &&
          html`<p>${say('device.asks', { game: name })}</p>
            <p>${say('device.shows', { code: html`<strong class="shown">${device}</strong>` })}</p>
            <p>${say('device.other')}</p>`
        }${asked}${
          linked &&
          postForm(visit, '/device/deny', html`${linked}<button class="quiet">${say('device.deny')}</button>`, 'forget')
        }
        <p class="hint">${say('play.seen')}${!invited && html` ${say('play.anyName')}`}${
          !embedded &&
          (invited !== undefined || known !== undefined) &&
          html` <a href="${start}/data${invited ? `?invitation=${encodeURIComponent(invited.code)}` : ''}">${say('play.ownData')}</a>`
        }</p>${
          player?.devices &&
          !embedded &&
          !linked &&
          html`<p class="hint">${say('device.showsCode', {
            link: (parts) =>
              html`<a href="/device${invited && `?invitation=${encodeURIComponent(invited.code)}`}">${parts}</a>`,
          })}</p>`
        }</div></div>${embedded && !embedded.over && resumeForm(visit, slug, invited?.code)}`,
    {
      bare: true,
      width: embedded ? 'framed' : 'narrow',
      forLearners: true,
      done: embedded?.over ? say.text('play.over') : done,
      scripts: embedded ? ['embed.js'] : [],
      styles: ['play.css', 'game.css'],
    },
  )
}

const nameForm = (visit: Visit, action: string, values: Form, start: Html, failure?: Failure, remembers = true): Html =>
  form(visit, action, { failure, values }, [
    learnerName(visit.say),
    remembers &&
      html`<label class="option"><input type="checkbox" name="remember"
      value="yes"${values('remember') !== '' && html` checked`}>
        <span>${visit.say('play.remember')}<small>${visit.say('play.rememberHint')}</small></span></label>`,
    start,
  ])

/** Under which name somebody plays. */
export const learnerName = (say: Say) => ({
  name: 'learner_name',
  label: say.text('play.name'),
  required: true,
  maxLength: 100,
  autocomplete: 'nickname',
})

/** embed.js submits it when the tab has a running session, whose secret is in no address and in no cookie. */
const resumeForm = (visit: Visit, slug: string, invitation: string | undefined): Html =>
  html`<form method="post" action="${embedWays(slug, invitation).game}" id="resume" hidden>${visit.csrf}<input
    type="hidden" name="session"></form>`

/** The game, as large as the window. @param pupil what a lesson calls the learner */
export function gamePlayPage(
  visit: Visit,
  { game, build }: Pick<GetPublishedGameResponse, 'game' | 'build'>,
  launch: Launch,
  ways: Ways = playWays(game!.slug),
  pupil?: string,
): Html {
  const { name, slug } = game!
  const { say } = visit
  const isOpened = ways.opens && launch.player?.devices && launch.player.launchLink !== ''
  const open = (className: string) => isOpened && openForm(visit, slug, 'device.openInstalled', className)
  const download = packagePath(visit, build!, launch.buildId === build!.buildId ? launch.files : '')
  return layout(
    visit,
    name,
    html`
      <div class="play-bar"><h1>${name}</h1><p>${pupil ?? launch.learnerName} · ${timeLeft(say, launch.expires)}</p>
        <div class="actions">${
          download === undefined &&
          html`<button type="button" class="quiet small" id="full-screen" hidden>${say('play.fullScreen')}</button>${open('quiet small')}`
        }
          ${ways.data !== undefined && html`<a class="button quiet small" href="${ways.data}">${say('play.data')}</a>`}<form
          method="post" action="${ways.end}" class="inline" id="end" data-result="${ways.result}">${visit.csrf}${
            ways.embedded && hidden('session', launch.sessionSecret)
          }<button class="quiet small" id="leave" data-saving="${say('play.saving')}">${say(pupil === undefined ? 'play.leave' : 'join.done')}</button></form></div></div>
      <p class="notice warn over-notice" role="status"><span>${say('play.notSaved')}</span>
      <a href="${ways.start}">${say('play.again')}</a></p>
      <div class="reached" role="status"><div class="card" hidden><p></p><div class="actions"><button form="end"${ways.lesson && html` formaction="${ways.lesson}"`}>${say('play.seeResult')}</button> <button type="button" class="quiet" id="play-on">${say('play.playOn')}</button></div></div></div>
      ${
        download !== undefined
          ? html`<div class="card">${open('large')}${desktopLaunch(visit, launch, { download, launchFile: ways.launchFile })}</div>`
          : gameFrame(visit, launch, name)
      }${pupil !== undefined && lessonCover(visit, slug)}`,
    {
      bare: true,
      forLearners: true,
      width: download === undefined ? 'whole' : 'wide',
      scripts: [
        'frame.js',
        'full-screen.js',
        'play.js',
        ...(download === undefined ? [] : ['copy.js']),
        ...(ways.embedded ? ['embed.js'] : []),
        ...(pupil === undefined ? [] : ['seat.js']),
      ],
      styles: ['play.css', 'sandbox.css', 'game.css', ...(pupil === undefined ? [] : ['join.css'])],
    },
  )
}
