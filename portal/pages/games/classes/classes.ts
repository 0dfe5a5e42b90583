import type { Class } from '../../../../gen/lrs/v1/classes_pb.js'
import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import { invitations as limits } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { form, submit, type Sent } from '../../parts/form.ts'
import { gameLayout } from '../../parts/game-layout.ts'

/** Says where names of learners are kept. */
export const aboutNames = html`<details class="about-names"><summary>Names of children: where they are kept, and how to
      avoid them</summary>
      <p>A name is kept in the database of this service with the invitation, and in the statements that a game sends
      about the learner. Members of your studio see it, and so do the operator of this service and every system that
      reads the statements of the game.</p>
      <p>You can avoid real names: take nicknames, and write on each printed card whom you gave it to. Then only you
      know who is who. A first name or initials are enough, too.</p></details>`

/** Names, one a line, or nicknames. */
export const learnerFields = [
  {
    name: 'learner_names',
    label: 'Names, one a line',
    called: 'Names',
    note: 'or take nicknames below',
    hint:
      `Of two names that are the same, the second one gets a number. A class has ${limits.ofClass} ` +
      `learners at most.`,
    rows: 6,
  },
  { name: 'nicknames', label: 'Learners with a nickname', type: 'number', note: 'such as Brave Otter' },
] as const

/** A form to invite a class. */
export const classForm = (visit: Visit, gameId: string, sent: Sent = {}): Html =>
  form(visit, `/games/${gameId}/classes`, sent, [
    {
      name: 'name',
      label: 'Name of the class',
      hint: 'For you, such as 4b Monday.',
      required: true,
      maxLength: 100,
      autocomplete: 'off',
    },
    ...learnerFields,
    aboutNames,
    submit('Make the class'),
  ])

/** The classes of a game. */
export function classList(gameId: string, classes: readonly Class[]): Html {
  if (classes.length === 0)
    return html`<div class="card empty"><p class="muted">No classes yet. A class is a list of learners who are invited
      together: you print their links, and see their results in one table.</p></div>`
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">Class</th><th scope="col">Learners</th>
      <th scope="col">Made</th><th scope="col">State</th></tr></thead>
      <tbody>${classes.map(
        ({ classId, name, learners, created, ended, final }) =>
          html`<tr><th scope="row"><a href="/games/${gameId}/classes/${classId}">${name}</a></th>
        <td data-heading="Learners">${counted(learners, 'learner')}</td><td data-heading="Made">${moment(created)}</td>
        <td data-heading="State">${
          ended > 0n
            ? html`<span class="badge warn">Ended</span> can be undone until ${moment(final)}`
            : html`<span class="badge good">Open</span>`
        }</td></tr>`,
      )}</tbody></table></div>`
}

/** The classes of a game, for those who see data only. */
export const classesPage = (visit: Visit, game: Game, classes: readonly Class[]): Html =>
  gameLayout(visit, game, 'Classes', classList(game.summary!.gameId, classes), {
    styles: ['game.css'],
    lead: 'Learners who were invited together, and what they did. Developers of your studio make classes.',
  })
