import { GameState, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { comparison } from '../parts/comparison.ts'
import { form, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

/** Says that the draft is not public, why, and what to do; nothing if there are no changes. */
export function changesNotice({ summary, changed, allowed }: Game): Html | undefined {
  if (!changed) return undefined
  const { gameId, state } = summary!
  const [className, text] = words(state)
  return html`<div class="notice ${className}"><p>${text}</p>
      <div class="actions">${allowed.includes('submit') && html`<a class="button small" href="/games/${gameId}/submit">Submit for review</a>`}
        <a class="button small quiet" href="/games/${gameId}/changes">See or discard the changes</a></div></div>`
}

function words(state: GameState): readonly [className: string, text: Html] {
  const stays = 'Until a reviewer accepts them, players see the last accepted page.'
  switch (state) {
    case GameState.IN_REVIEW:
    case GameState.UPDATE_IN_REVIEW:
      return [
        '',
        html`<strong>Changes are waiting for review.</strong> ${stays}
      You can go on editing: the reviewer decides on the latest page.`,
      ]
    case GameState.UPDATE_REJECTED:
      return ['bad', html`<strong>The changes were rejected.</strong> ${stays}`]
    case GameState.WITHDRAWN:
      return [
        'warn',
        html`<strong>The page has changed since a reviewer accepted it.</strong> The changes are reviewed together with the game.`,
      ]
    default:
      return ['warn', html`<strong>Changes are not public yet.</strong> ${stays} When you are ready, submit them.`]
  }
}

/** Shows the changes and offers to discard them. */
export function changesPage(visit: Visit, game: Game, sent: Sent = {}): Html {
  const { gameId, name } = game.summary!
  if (!game.changed) {
    const text = game.accepted ? 'The page has no changes.' : 'The game has no accepted page yet.'
    return gameLayout(visit, game, 'Changes', html`<div class="card empty"><p>${text}</p></div>`)
  }
  return gameLayout(
    visit,
    game,
    'Changes',
    html`
      <section class="card" aria-labelledby="differs"><h2 id="differs">What players would read and see</h2>${comparison(game)}</section>
      <section class="card" aria-labelledby="discard"><h2 id="discard">Discard the changes</h2>
        ${form(visit, `/games/${gameId}/changes/discard`, sent, [
          html`<p>Name, texts, images and teaching notes of <strong>${name}</strong> are reset to the last accepted page.
            Images and documents that only the draft has are deleted. Builds do not change.</p>`,
          submit('Discard the changes', {
            className: 'danger',
            beside: html`<a class="button quiet" href="/games/${gameId}">Keep them</a>`,
          }),
        ])}</section>`,
    { styles: ['game.css'] },
  )
}
