import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../gen/lrs/v1/games_pb.js'
import type { Invitation } from '../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../html.ts'
import type { Form, Visit } from '../visit.ts'
import { counted, moment } from './amount.ts'
import { field, postForm, problem, submit } from './form.ts'
import { gameLayout } from './game-layout.ts'
import { isLive } from './game-state.ts'

export interface Inviting {
  readonly failure?: Failure
  readonly values?: Form
  /** The one that was just made, with its code. */
  readonly made?: { readonly name: string; readonly code: string }
  readonly done?: string
}

/** The newest invitation when the form was shown. It shows whether a form is sent a second time. */
export const newestOf = ([newest]: readonly Invitation[]): string => newest?.invitationId ?? ''

/** The invitations of a game, and a form to add one. */
export function invitationsPage(
  visit: Visit,
  game: Game,
  invitations: readonly Invitation[],
  { failure, values = () => '', made, done }: Inviting = {},
): Html {
  const { gameId, slug, state } = game.summary!
  if (!isLive(state)) {
    return gameLayout(
      visit,
      game,
      'Invitations',
      html`<div class="card empty"><h2>Not yet</h2>
      <p class="muted">Once the game is published, you can invite learners by name. Each gets a link of their own. All sessions with that link belong to that learner.</p>
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
        <div class="code"><button type="button" class="quiet small" data-copy="link" hidden>Copy<span class="visually-hidden"> the link</span></button>
        <pre tabindex="0" role="region" aria-label="Link"><code id="link">${visit.at.portal}/play/${slug}?invitation=${made.code}</code></pre></div></section>`
      }
      <section class="card" aria-labelledby="invite"><h2 id="invite">Invite a learner</h2>
        ${postForm(
          visit,
          `/games/${gameId}/invitations`,
          html`${problem(failure, { learner_name: 'Name of the learner' })}
          ${field({ name: 'learner_name', label: 'Name of the learner', value: values('learner_name'), required: true, maxLength: 100, autocomplete: 'off', failure })}
          <input type="hidden" name="seen" value="${newestOf(invitations)}">
          ${submit('Make a link')}`,
        )}</section>
      <section aria-labelledby="invited"><h2 id="invited">Invited</h2>${list(visit, gameId, invitations)}</section>`,
    {
      done,
      scripts: ['copy.js'],
      styles: ['game.css'],
      lead:
        'Anyone can play under a name of their choice. With an invitation you know who plays: the same link is always ' +
        'the same learner.',
    },
  )
}

function list(visit: Visit, gameId: string, invitations: readonly Invitation[]): Html {
  if (invitations.length === 0) return html`<div class="card empty"><p class="muted">No invitations yet.</p></div>`
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">Learner</th><th scope="col">Invited</th><th scope="col">Sessions</th><th scope="col">Last session</th><th scope="col"><span class="visually-hidden">End it</span></th></tr></thead>
      <tbody>${invitations.map(
        ({ invitationId, learnerName, created, used, lastUsed }) => html`<tr><th scope="row">${learnerName}</th>
        <td data-heading="Invited">${moment(created)}</td><td data-heading="Sessions">${counted(used, 'session')}</td><td data-heading="Last session">${lastUsed > 0n ? moment(lastUsed) : 'never'}</td>
        <td>${postForm(visit, `/games/${gameId}/invitations/${invitationId}/revoke`, html`<button class="quiet small">End<span class="visually-hidden"> the invitation of ${learnerName}</span></button>`, 'inline')}</td></tr>`,
      )}</tbody></table></div>`
}
