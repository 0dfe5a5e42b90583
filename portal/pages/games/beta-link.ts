import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { furtherLimits } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { postForm, problem, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

export interface MadeLink extends Sent {
  /** The one that was just made. */
  readonly code?: string
  readonly done?: string
}

/** The link by which people who are no members play the beta. */
export function betaLinkPage(visit: Visit, game: Game, { failure, code = '', done }: MadeLink = {}): Html {
  const { summary, betaLinked, beta } = game
  const action = `/games/${summary!.gameId}/beta-link`
  const there = betaLinked > 0n
  // a reload sends the form again
  const form = (on: string, button: Html) =>
    postForm(
      visit,
      action,
      html`<input type="hidden" name="on" value="${on}"><input type="hidden" name="seen" value="${betaLinked}">${button}`,
      'inline',
    )
  return gameLayout(
    visit,
    game,
    'Link to the beta',
    html`
      ${
        code !== '' &&
        html`<section class="card" aria-labelledby="made"><h2 id="made">The link</h2>
        <p>Copy it now: it is shown only once.</p>
        <div class="code"><button type="button" class="quiet small" data-copy="link" hidden>Copy<span
        class="visually-hidden"> the link</span></button>
        <pre tabindex="0" role="region" aria-label="Link"><code
        id="link">${visit.at.portal}/beta/${code}</code></pre></div></section>`
      }
      <div class="card">${problem(failure)}
        <p>People with the link play the beta, under any name, in at most ${furtherLimits.betaLink.limit}
        sessions a day. What they do goes to your test data, never among that of learners.</p>
        <p>The link stays when another build becomes the beta.${!beta && ' There is none now, and the link says so.'}</p>
        <p>${there ? html`A link was made on ${moment(betaLinked)}. A new one replaces it: the old one and its sessions end at once.` : 'There is no link now.'}</p>
        <div class="actions">${form('yes', html`<button>${there ? 'Make a new link' : 'Make a link'}</button>`)}
          ${there && form('', html`<button class="danger">End the link</button>`)}</div></div>`,
    { done, scripts: ['copy.js'], styles: ['game.css'] },
  )
}
