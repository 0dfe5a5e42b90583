import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { Orientation, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../html.ts'
import type { Form, Visit } from '../../visit.ts'
import { postForm, problem, select, submit } from '../parts/form.ts'
import { gameLayout } from './game-layout.ts'

/** Values of the field `orientation`. */
export const orientations: Readonly<Record<string, Orientation>> = {
  any: Orientation.UNSPECIFIED,
  landscape: Orientation.LANDSCAPE,
  portrait: Orientation.PORTRAIT,
}

/** How the player shows the game. */
export function playerPage(
  visit: Visit,
  game: Game,
  { failure, values, done }: { failure?: Failure; values?: Form; done?: string | undefined } = {},
): Html {
  const { isolated = false, orientation } = game.player ?? {}
  const isChecked = values ? values('isolated') !== '' : isolated
  const now = Object.keys(orientations).find((name) => orientations[name] === orientation) ?? 'any'
  return gameLayout(
    visit,
    game,
    'Player',
    html`<div class="card">${postForm(
      visit,
      `/games/${game.summary!.gameId}/player`,
      html`${problem(failure)}
      <label class="option"><input type="checkbox" name="isolated" value="yes"${isChecked && html` checked`}>
        <span>Isolate the game from other origins<small>A game with threads needs this: without it, SharedArrayBuffer
        is not there. Files of other origins then load only if they allow it (CORP or CORS).
        <a href="/packaging#threads">When a game needs it</a></small></span></label>
      ${select({
        name: 'orientation',
        label: 'How a phone is held',
        of: [
          { value: 'any', text: 'As the player likes' },
          { value: 'landscape', text: 'Landscape: wider than high' },
          { value: 'portrait', text: 'Portrait: higher than wide' },
        ],
        value: values?.('orientation') || now,
        failure,
        required: true,
      })}
      ${submit('Save')}`,
    )}</div>`,
    {
      done,
      lead: 'How the player shows this game, in the sandbox and to learners. A change needs no review and counts from the next start of the game on.',
      styles: ['game.css', 'play.css'],
    },
  )
}
