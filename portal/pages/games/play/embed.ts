import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import type { Ways } from './ways.ts'

/** A desktop game: there is nothing to show in a frame. */
export function downloadedPage(visit: Visit, { game }: GetPublishedGameResponse): Html {
  const { name, slug } = game!
  const { say } = visit
  return layout(
    visit,
    name,
    html`<p>${say('play.elsewhere')}</p>
      <p class="actions"><a class="button" href="/g/${slug}" target="_blank" rel="noopener">${say('play.openPage')}</a></p>`,
    { width: 'framed', forLearners: true, styles: ['play.css'] },
  )
}

/** What failed in the frame. */
export function embedFailurePage(
  visit: Visit,
  { game }: GetPublishedGameResponse,
  { message }: Failure,
  ways: Ways,
): Html {
  return layout(
    visit,
    game!.name,
    html`<p class="notice bad" role="alert">${message}</p>
      <p class="actions"><a class="button" href="${ways.start}">${visit.say('play.tryAgain')}</a></p>`,
    { width: 'framed', forLearners: true, styles: ['play.css'] },
  )
}
