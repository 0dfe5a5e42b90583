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
  const { say } = visit
  return layout(
    visit,
    say.text('beta.title', { game: name }),
    html`<div class="entrance card">${cover(game!)}<div class="entrance-text"><h1>${name}</h1>
        <p class="hint">${say('play.by', { studio: studioName })}</p>${
          build
            ? html`<p class="notice">${say('beta.notice')}</p>
              ${form(visit, betaWays(code).start, sent, [
                learnerName(say),
                submit(say('beta.start'), { className: 'large' }),
              ])}
              <p class="hint">${say('beta.each')}</p>`
            : html`${problem(sent.failure)}<p>${say('beta.none')}</p>
              <div class="actions"><a class="button" href="/g/${slug}">${say('beta.game')}</a></div>`
        }</div></div>`,
    { bare: true, width: 'narrow', forLearners: true, done, styles: ['play.css', 'game.css'] },
  )
}
