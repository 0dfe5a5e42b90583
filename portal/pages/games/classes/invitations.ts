import type { Class } from '../../../../gen/lrs/v1/classes_pb.js'
import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import type { Invitation } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { classForm, classList } from './classes.ts'
import { form, hidden, submit, type Sent } from '../../parts/form.ts'
import { gameLayout } from '../../parts/game-layout.ts'
import { isLive } from '../../parts/game-state.ts'

export interface Inviting extends Sent {
  /** The one that was just made, with its code. */
  readonly made?: { readonly name: string; readonly code: string }
  readonly done?: string
  /** The form for a class, if that was refused. */
  readonly ofClass?: Sent
  /** Where the list begins. */
  readonly from?: number
}

/** Invitations on a page of the list. */
const ofPage = 50

/** The newest invitation when the form was shown. It shows whether a form is sent a second time. */
export const newestOf = ([newest]: readonly Invitation[]): string => newest?.invitationId ?? ''

/** The invitations of a game: classes, and single learners. */
export function invitationsPage(
  visit: Visit,
  game: Game,
  classes: readonly Class[],
  invitations: readonly Invitation[],
  { made, done, ofClass, from = 0, ...sent }: Inviting = {},
): Html {
  const { gameId, slug, state } = game.summary!
  if (!isLive(state)) {
    return gameLayout(
      visit,
      game,
      'Invitations',
      html`<div class="card empty"><h2>Not yet</h2>
      <p class="muted">Once the game is published, you can invite learners: a whole class with links to print, or one by
      one. All sessions with a link belong to that learner.</p>
      <div class="actions"><a class="button" href="/games/${gameId}">See the next step</a></div></div>`,
    )
  }
  return gameLayout(
    visit,
    game,
    'Invitations',
    html`
      ${
        made &&
        html`<section class="card" aria-labelledby="made"><h2 id="made">The link for ${made.name}</h2>
        <p>Copy it now: it is shown only once.</p>
        <div class="code"><button type="button" class="quiet small" data-copy="link" hidden>Copy<span
        class="visually-hidden"> the link</span></button>
        <pre tabindex="0" role="region" aria-label="Link"><code
        id="link">${visit.at.portal}/play/${slug}?invitation=${made.code}</code></pre></div></section>`
      }
      <section aria-labelledby="classes"><h2 id="classes">Classes</h2>${classList(gameId, classes)}</section>
      <div class="halves">
      <section class="card" aria-labelledby="invite-class"><h2 id="invite-class">Invite a
      class</h2>${classForm(visit, gameId, ofClass)}</section>
      <section class="card" aria-labelledby="invite"><h2 id="invite">Invite one learner</h2>
        ${form(visit, `/games/${gameId}/invitations`, sent, [
          { name: 'learner_name', label: 'Name of the learner', required: true, maxLength: 100, autocomplete: 'off' },
          hidden('seen', newestOf(invitations)),
          submit('Make a link'),
        ])}</section></div>
      <section aria-labelledby="invited"><h2 id="invited">Invited one by
      one</h2>${list(gameId, invitations, from)}</section>`,
    {
      done,
      scripts: ['copy.js'],
      styles: ['game.css', 'class.css'],
      lead:
        'Anyone can play under a name of their choice. With an invitation you know who plays: the same ' +
        'link is always ' +
        'the same learner.',
    },
  )
}

function list(gameId: string, invitations: readonly Invitation[], from: number): Html {
  if (invitations.length === 0)
    return html`<div class="card empty"><p class="muted">Nobody yet. Whom you invite alone is listed here.</p></div>`
  const more = (start: number, text: string) =>
    html`<a class="button quiet" href="/games/${gameId}/invitations?from=${start}#invited">${text}</a> `
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">Learner</th>
      <th scope="col">Invited</th><th scope="col">Sessions</th><th scope="col">Last session</th><th scope="col">
      <span class="visually-hidden">Change</span></th></tr></thead>
      <tbody>${invitations
        .slice(from, from + ofPage)
        .map((invitation) => row(gameId, invitation))}</tbody></table></div>
      <p class="actions">${
        from > 0 && more(Math.max(0, from - ofPage), 'Newer ones')
      }${invitations.length > from + ofPage && more(from + ofPage, 'Older ones')}</p>`
}

function row(gameId: string, { invitationId, learnerName, created, used, lastUsed, ended }: Invitation): Html {
  const at = `/games/${gameId}/invitations/${invitationId}`
  return html`<tr><th scope="row">${learnerName}${ended > 0n && html` <span class="badge warn">Ended</span>`}</th>
        <td data-heading="Invited">${moment(created)}</td><td data-heading="Sessions">${counted(used, 'session')}</td>
        <td data-heading="Last session">${lastUsed > 0n ? moment(lastUsed) : 'never'}</td>
        <td>${
          ended > 0n
            ? html`<a class="button quiet small" href="${at}/end">Undo<span class="visually-hidden"> the end of the
            invitation of ${learnerName}</span></a>`
            : html`<a class="button quiet small" href="${at}/link">New link<span class="visually-hidden"> for
            ${learnerName}</span></a> <a class="button quiet small" href="${at}/end">End<span class="visually-hidden">
            the invitation of ${learnerName}</span></a>`
        }</td></tr>`
}
