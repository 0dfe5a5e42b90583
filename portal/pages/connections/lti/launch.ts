import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { LaunchLtiResponse } from '../../../../gen/lrs/v1/lti_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { hidden } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { cover } from '../../parts/media.ts'
import { inFrame, notedPage } from './begin.ts'
import { whyOf } from './why.ts'

type Game = GetPublishedGameResponse | undefined

const card = (game: NonNullable<Game>, content: Html): Html =>
  html`<div class="entrance card">${cover(game.game!)}<div class="entrance-text"><h1>${game.game!.name}</h1>${content}</div></div>`
const withGame = { ...inFrame, bare: true, styles: ['play.css', 'game.css'] }

/** Before the game: a start is an attempt. A game with threads runs in a tab of its own. */
export function startPage(visit: Visit, { launchId, token, attemptsLeft }: LaunchLtiResponse, game: Game): Html {
  const { say } = visit
  if (!game) return notedPage(visit, 'noLesson')
  if (attemptsLeft === 0) return notedPage(visit, 'used')
  const apart = game.player?.isolated ?? false
  return layout(
    visit,
    game.game!.name,
    card(
      game,
      html`${attemptsLeft !== undefined && html`<p>${say('lti.left', { left: attemptsLeft })}</p>`}${
        apart && html`<p>${say('lti.apart')}</p>`
      }<form method="post" action="/lti-play/${launchId}"${apart && html` target="_blank"`} class="form">${hidden(
        'token',
        token,
      )}<div class="actions"><button class="large">${say(apart ? 'lti.newTab' : 'play.start')}</button></div></form>`,
    ),
    withGame,
  )
}

/** The platform says nothing of the person, so the store cannot know it again. */
export function guestPage(visit: Visit, game: Game): Html {
  const { say } = visit
  if (!game) return notedPage(visit, 'noLesson')
  return layout(
    visit,
    game.game!.name,
    card(
      game,
      html`<p>${say('lti.guest')}</p><p class="actions"><a class="button" href="/play/${game.game!.slug}"
      target="_blank" rel="noopener">${say('lti.newTab')}</a></p>`,
    ),
    withGame,
  )
}

/** A teacher: what the link is. Names and results are behind the sign-in of the school. */
export function teachPage(visit: Visit, { classId, title }: LaunchLtiResponse, game: Game): Html {
  const { say } = visit
  return layout(
    visit,
    title || say.text('lti.title'),
    html`<p>${game ? say('lti.teachGame', { game: game.game!.name }) : say('lti.teachClass')}</p><p>${say('lti.teach')}</p>
      <p class="actions"><a class="button" href="/classes/${classId}" target="_blank" rel="noopener">${say('lti.openClass')}</a>
      <a class="button quiet" href="/classes/${classId}/grades" target="_blank" rel="noopener">${say('lti.openGrades')}</a>${
        game &&
        html`<a class="button quiet" href="/play/${game.game!.slug}" target="_blank" rel="noopener">${say('lti.try')}</a>`
      }</p>`,
    inFrame,
  )
}

/** A mentor, or another person who neither learns nor teaches. */
export const nothingPage = (visit: Visit): Html =>
  layout(visit, visit.say.text('lti.title'), html`<p>${visit.say('lti.nothing')}</p>`, inFrame)

/** In plain words. The school sees more at its platforms. */
export const refusedPage = (visit: Visit, claim: string): Html =>
  layout(
    visit,
    visit.say.text('lti.refused'),
    html`<p class="notice bad" role="alert">${visit.say(`lti.${whyOf(claim)}`)}</p><p>${visit.say('lti.askTeacher')}</p>
      <p class="hint">${visit.say('lti.claim', { claim: html`<code>${claim}</code>` })}</p>`,
    inFrame,
  )
