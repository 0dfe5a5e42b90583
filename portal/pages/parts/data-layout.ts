import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { viewParameters } from '../../../shared/result-address.ts'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
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
    filtered: true,
    aside: html`<div class="filters"><nav class="choice" aria-label="From"><ul>${from(false, 'Live')}${from(
      true,
      'Sandbox',
    )}</ul></nav>${filters}${isDeveloper(visit) && saveLink(visit, game, page)}</div>`,
    styles: page === 'statements' ? ['data.css'] : ['data.css', 'charts.css'],
    scripts,
  })
}

/** Where the address of the page can be saved; nothing on the page of one learner or one statement. */
function saveLink({ request, query }: Visit, game: Game, page: ResultPage): Html | false {
  const start = `/games/${game.summary!.gameId}`
  const here = request.path.slice(start.length + 1)
  if (here !== page && !(page.startsWith('data/') && here.startsWith(`${page}/`))) return false
  const kept = viewParameters.flatMap((name) => (query(name) === '' ? [] : [[name, query(name)]]))
  const address = new URLSearchParams({ page: here, query: String(new URLSearchParams(kept)) })
  return html`<a class="button quiet small save" href="${start}/views?${String(address)}">Save view</a>`
}
