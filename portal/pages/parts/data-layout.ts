import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { dataPath, type DataView } from './data-view.ts'
import { gameLayout } from './game-layout.ts'
import { titles, type ResultPage } from './game-side.ts'

/** Results of a game, of learners or of the sandbox. @param filters beside the choice between them */
export function dataLayout(
  visit: Visit,
  game: Game,
  view: DataView,
  page: ResultPage,
  content: Html,
  { filters, scripts = [], done }: { filters?: Html; scripts?: readonly string[]; done?: string | undefined } = {},
): Html {
  const from = (sandbox: boolean, text: string) =>
    html`<li><a href="${dataPath(game, page, { ...view, sandbox })}"${
      sandbox === view.sandbox && html` aria-current="true"`
    }>${text}</a></li>`
  return gameLayout(visit, game, titles[page], content, {
    view,
    done,
    aside: html`<div class="filters"><nav class="choice" aria-label="From"><ul>${from(false, 'Live')}${from(
      true,
      'Sandbox',
    )}</ul></nav>${filters}</div>`,
    styles: page === 'statements' ? ['data.css'] : ['data.css', 'charts.css'],
    scripts,
  })
}
