import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { AlertSetting } from '../../../gen/lrs/v1/watching_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { postForm, submit } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

/** Which alerts of a game are on, and which were raised. */
export function alertsPage(visit: Visit, game: Game, alerts: readonly AlertSetting[], done?: string): Html {
  const makes = isDeveloper(visit)
  const state = ({ off, raised }: AlertSetting): Html =>
    raised > 0n && !off
      ? html`<small>${moment(raised)}</small> <span class="badge warn">Raised</span>`
      : html`${!makes && html`<span class="badge${!off && ' good'}">${off ? 'Off' : 'On'}</span>`}`
  const list = html`<ul class="alerts">${alerts.map((alert) => {
    const { kind, title, about, off } = alert
    const name = makes
      ? html`<label><input type="checkbox" name="${kind}" value="on"${!off && html` checked`}> ${title}</label>`
      : html`<b>${title}</b>`
    return html`<li>${name}<span>${state(alert)}</span><p class="hint">${about}</p></li>`
  })}</ul>`
  return gameLayout(
    visit,
    game,
    'Alerts',
    html`<section class="card alerts-card" aria-labelledby="kinds"><h2 id="kinds">What is checked each hour</h2>
      ${
        makes
          ? postForm(visit, `/games/${game.summary!.gameId}/alerts`, html`${list}${submit('Save')}`)
          : html`${list}<p class="muted">A developer of your studio can turn alerts on and off.</p>`
      }</section>`,
    {
      done,
      styles: ['game.css'],
      lead: html`Members of your studio get a notice and a mail, webhooks the event <code>alert.raised</code>. An alert
        comes once. When it has ended, it can come again after 7 days.`,
    },
  )
}
