import type { Class } from '../../../../gen/lrs/v1/classes_pb.js'
import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import type { Invitation } from '../../../../gen/lrs/v1/launches_pb.js'
import { invitations as limits } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { postForm, submit } from '../../parts/form.ts'
import { gameLayout } from '../../parts/game-layout.ts'

interface Question {
  readonly title: string
  readonly text: Html
  readonly action: string
  readonly button: string
  readonly isDangerous?: boolean
  readonly back: string
  readonly fields?: Html
}

/** Asks before something is done. */
export const questionPage = (
  visit: Visit,
  game: Game,
  { title, text, action, button, isDangerous = false, back, fields = html`` }: Question,
): Html =>
  gameLayout(
    visit,
    game,
    title,
    html`<div class="card">${text}${postForm(
      visit,
      action,
      html`${fields}${submit(button, {
        className: isDangerous ? 'danger' : '',
        beside: html`<a class="button quiet" href="${back}">Cancel</a>`,
      })}`,
    )}</div>`,
    { styles: ['game.css'] },
  )

export const endClassPage = (visit: Visit, game: Game, { name, learners }: Class, path: string): Html =>
  questionPage(visit, game, {
    title: `End ${name}?`,
    text: html`<ul><li>The ${counted(learners, 'link')} of the class stop at once, and so do sessions that run
      with them.</li>
      <li>For a day you can undo that. Then the list of names and this table are deleted for good.</li>
      <li>What the learners did stays in the data of the game. <a href="${path}/results.csv">Save the results as CSV</a>
      if you want to keep the table.</li></ul>`,
    action: `${path}/end`,
    button: 'End the class',
    isDangerous: true,
    back: path,
  })

/** The code by which a school takes the class over. */
export const handOverClassPage = (visit: Visit, game: Game, { name, classId }: Class, code: string): Html =>
  gameLayout(
    visit,
    game,
    `Hand ${name} over`,
    html`<div class="card"><p>Give this code to a teacher of the school. It is shown only once, and works once,
      for ${limits.handOverDays} days.</p><p><output class="code big">${code.replaceAll(/(.{4})(?=.)/g, '$1-')}</output></p>
      <p>The teacher enters it on the page <strong>My classes</strong>. Then the links of the class stop, and you see its
      learners by nicknames. They keep their results.</p>
      <div class="actions"><a class="button quiet" href="/games/${game.summary!.gameId}/classes/${classId}">Back to the
      class</a></div></div>`,
    { styles: ['game.css'] },
  )

/** Where an invitation is shown: in its class, or in the list of those without one. */
export interface Place {
  readonly path: string
  /** Hidden field that names the class. */
  readonly field: Html
}

export function endInvitationPage(
  visit: Visit,
  game: Game,
  { learnerName, invitationId, ended, final }: Invitation,
  { path: back, field: fields }: Place,
): Html {
  const path = `/games/${game.summary!.gameId}/invitations/${invitationId}`
  if (ended > 0n)
    return questionPage(visit, game, {
      title: `The invitation of ${learnerName} has ended`,
      text: html`<p>Its link is no longer good. You can undo that until ${moment(final)}; then the invitation is
      deleted.</p>`,
      action: `${path}/restore`,
      button: 'Undo the end',
      fields,
      back,
    })
  return questionPage(visit, game, {
    title: `End the invitation of ${learnerName}?`,
    text: html`<p>The link stops at once, and so does a session that runs with it. For a day you can undo that. Then the
      invitation is deleted. What the learner did stays in the data of the game.</p>`,
    action: `${path}/end`,
    button: 'End the invitation',
    isDangerous: true,
    fields,
    back,
  })
}

export const renewLinkPage = (
  visit: Visit,
  game: Game,
  { learnerName, invitationId, linked }: Invitation,
  { path: back, field }: Place,
): Html =>
  questionPage(visit, game, {
    title: `A new link for ${learnerName}?`,
    text: html`<p>${
      linked > 0n ? html`The link of ${moment(linked)} stops, and so does a session that runs with it. ` : ''
    }The learner stays the same, with all results. The new link is shown once.</p>`,
    action: `/games/${game.summary!.gameId}/invitations/${invitationId}/link`,
    button: 'Make a new link',
    fields: html`<input type="hidden" name="seen" value="${linked}">${field}`,
    back,
  })
