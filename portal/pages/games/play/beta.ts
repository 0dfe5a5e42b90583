import type { GetBetaResponse } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { cover } from '../../parts/media.ts'
import { form, problem, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { learnerName } from './play.ts'
import type { Ways } from './ways.ts'

interface BetaEntrance extends Sent {
  readonly done?: string
}

export function betaWays(code: string): Ways {
  const at = `/beta/${code}`
  return {
    start: at,
    game: `${at}/game`,
    end: `${at}/end`,
    result: '',
    launchFile: `${at}/launch.json`,
    forget: '',
    embedded: false,
  }
}

/** What a beta link leads to: a test version, played under a name, or the note that there is none now. */
export function betaPage(
  visit: Visit,
  { game, build }: GetBetaResponse,
  code: string,
  { done, ...sent }: BetaEntrance,
): Html {
  const { name, slug, studioName } = game!
  return layout(
    visit,
    `${name} (test version)`,
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">By ${studioName}</p>${
          build
            ? html`<p class="notice">This is a test version, which nobody has reviewed. What you do in it goes to the
              studio’s test data, with your name, and counts nowhere else.</p>
              ${form(visit, betaWays(code).start, sent, [
                learnerName,
                submit('Play the test version', { className: 'large' }),
              ])}
              <p class="hint">Any name will do. Each start is a new session: nothing is kept from the last one.</p>`
            : html`${problem(sent.failure)}<p>There is no test version now. This link works again when there is one.</p>
              <div class="actions"><a class="button" href="/g/${slug}">See the game</a></div>`
        }</div></div>`,
    { bare: true, width: 'narrow', forLearners: true, done, styles: ['play.css', 'game.css'] },
  )
}
