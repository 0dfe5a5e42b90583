import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { BuildKind, Orientation, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { devices as limits, embedding } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { codeBlock } from '../../web/code-block.ts'
import { form, submit } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

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
  { failure: refusal, values, done }: { failure?: Failure; values?: Form; done?: string | undefined } = {},
): Html {
  const { isolated = false, orientation, embed = [], devices = false, launchLink = '' } = game.player ?? {}
  const checked = (name: string, held: boolean) => (values ? values(name) !== '' : held) && html` checked`
  const now = Object.keys(orientations).find((name) => orientations[name] === orientation) ?? 'any'
  const sent = { values, failure: refusal && ofField(refusal) }
  return gameLayout(
    visit,
    game,
    'Embedding',
    html`<div class="card">${form(visit, `/games/${game.summary!.gameId}/player`, sent, [
      html`<label class="option"><input type="checkbox" name="isolated" value="yes"${checked('isolated', isolated)}>
        <span>Isolate the game from other origins<small>A game with threads needs this: without it there is no
        SharedArrayBuffer. Files of other origins then load only if they allow it (CORP or CORS).
        <a href="/packaging#threads">When a game needs it</a></small></span></label>`,
      {
        name: 'orientation',
        label: 'How a phone is held',
        of: [
          { value: 'any', text: 'Any way' },
          { value: 'landscape', text: 'Landscape: wider than high' },
          { value: 'portrait', text: 'Portrait: higher than wide' },
        ],
        value: now,
        required: true,
      },
      {
        name: 'embed',
        label: embedLabel,
        hint:
          `Their origins, one on each line, such as https://school.example, ${embedding.origins} at most. ` +
          'On all other sites, browsers refuse to show it.',
        value: embed.join('\n'),
        rows: 3,
        called: embedLabel,
      },
      html`<label class="option"><input type="checkbox" name="devices" value="yes"${checked('devices', devices)}>
        <span>Installed copies may be linked with learners<small>The game shows a code, and the learner types it at
        ${visit.at.portal}/device. <a href="/docs/devices">How a game does it</a></small></span></label>`,
      {
        name: 'launch_link',
        label: 'Link that opens an installed copy',
        hint: 'Such as myquiz://play, or https://quiz.example/play. A code is added as ?launch=…',
        value: launchLink,
        maxLength: limits.link,
        called: 'The link',
      },
      submit('Save'),
    ])}</div>
    ${snippetCard(visit, game)}${unitCard(visit, game)}`,
    {
      done,
      lead:
        'How the player shows this game, in the sandbox and to learners. A change needs no review and takes effect at ' +
        'the next start of the game.',
      scripts: ['copy.js'],
      styles: ['game.css', 'play.css'],
    },
  )
}

const embedLabel = 'Sites that may show the game in a frame'

/** The field of the form that a refusal is about: `player.embed[1]` is a line of the field `embed`. */
function ofField(failure: Failure): Failure {
  if (failure.path === 'player.launch_link')
    return { ...failure, path: 'launch_link', message: failure.message.replace('player.', '') }
  const [whole, line] = /^player\.embed(?:\[(\d+)\])?$/.exec(failure.path) ?? []
  if (whole === undefined) return failure
  const what = failure.message.slice(`${whole}: `.length)
  return {
    ...failure,
    path: 'embed',
    message: `embed: ${what}${line === undefined ? '' : ` (line ${Number(line) + 1})`}`,
  }
}

/** How another system has the game in its courses. */
const unitCard = ({ at }: Visit, { summary, live }: Game): Html =>
  html`<section class="card" aria-labelledby="unit-title"><h2 id="unit-title">Put it into a course</h2>
      <p>A learning management system that knows cmi5 imports this file, and launches the game at
      <code>${at.portal}/cmi5/${summary!.slug}</code>. It gets the statements of its learners; nothing of them is stored
      here.</p>
      ${
        live?.kind === BuildKind.BROWSER
          ? html`<p><a class="button quiet" href="/cmi5/${summary!.slug}.xml" download>Download the course structure</a></p>`
          : html`<p class="hint">The file is here when the game is published as a browser build.</p>`
      }
      <p class="hint"><a href="/docs/cmi5">What the game has to do for it</a></p></section>`

/** What such a site puts into its page. It has the public address only: the session starts in the frame. */
function snippetCard({ at }: Visit, { summary, live, player }: Game): Html {
  const { name, slug } = summary!
  const { isolated = false, embed = [] } = player ?? {}
  const allow = `fullscreen; gamepad${isolated ? '; cross-origin-isolated' : ''}`
  const snippet = `<iframe src="${at.portal}/embed/${slug}" title="${html`${name}`.text}"
  width="960" height="540" style="border: 0; max-width: 100%"
  allow="${allow}"></iframe>`
  return html`<section class="card" aria-labelledby="snippet-title"><h2 id="snippet-title">Put it into a page</h2>
      ${
        live === undefined
          ? html`<p>This code shows the game once it is published.</p>`
          : embed.length === 0 && html`<p class="notice warn">No site may show the game yet: list one above.</p>`
      }
      ${codeBlock('snippet', 'iframe', snippet)}
      <p class="hint">In the frame the learner enters a name and plays. No cookie is used: the tab keeps the session
      until
      the learner leaves or closes it. <a href="/docs/launch#in-a-page-of-another-site">More about it</a></p>
      ${
        isolated &&
        html`<p class="notice">The game is isolated, so the page around the frame has to be isolated, too: it has to send
        <code>Cross-Origin-Opener-Policy: same-origin</code> and <code>Cross-Origin-Embedder-Policy: require-corp</code>
        (or <code>credentialless</code>). In other pages the game has no threads.</p>`
      }</section>`
}
