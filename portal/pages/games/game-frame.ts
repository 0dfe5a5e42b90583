import { Orientation } from '../../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../../web/html.ts'
import { contextOf, environmentOf, shellLines } from '../../../shared/launch-context.ts'
import { gameAddress } from './game-address.ts'
import { allowFrame } from '../../web/security-headers.ts'
import type { Say } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'

const sandbox = 'allow-scripts allow-pointer-lock allow-forms allow-modals'

/** The game of a session. frame.js also sends it the launch context as a message, and shows a bar while it loads. */
export function gameFrame(visit: Visit, launch: Launch, name: string): Html {
  const context = JSON.stringify({ type: 'xapi-launch', ...contextOf(visit.at.xapi, launch) })
  return frameOf(visit, launch, name, html`src="${gameAddress(visit.at, launch)}" data-launch="${context}"`)
}

/** A build in a sandboxed frame. Only the game knows its progress, since it is of another origin. */
export function frameOf(
  { at, response, say }: Visit,
  { buildId, player }: Pick<Launch, 'buildId' | 'player'>,
  name: string,
  attributes: Html,
): Html {
  const { isolated = false, orientation = Orientation.UNSPECIFIED } = player ?? {}
  const held = Orientation[orientation].toLowerCase()
  allowFrame(response, at.games(buildId), isolated)
  return html`${orientation !== Orientation.UNSPECIFIED && html`<p class="turn turn-${held}">${say('play.turn', { held })}</p>`}<div class="loading" role="progressbar" aria-label="${say('play.loading')}" aria-valuemin="0" aria-valuemax="100" hidden></div><iframe class="game-frame" id="game" title="${name}" ${attributes} sandbox="${sandbox}${at.apart && ' allow-same-origin'}"
        allow="fullscreen; gamepad${isolated && '; cross-origin-isolated'}" referrerpolicy="no-referrer"${orientation !== Orientation.UNSPECIFIED && html` data-orientation="${held}"`}></iframe>`
}

/** How an installed build gets the launch context. */
export function desktopLaunch(
  { at, say }: Visit,
  launch: Launch,
  { download, launchFile }: { download: string; launchFile: string },
): Html {
  const lines = shellLines(environmentOf(contextOf(at.xapi, launch)))
  return html`<ol class="launch-steps">
      <li><p><a class="button" href="${download}" download>${say('download.game')}</a></p></li>
      <li><p><a class="button quiet" href="${launchFile}" download="launch.json">${say('download.file')}</a></p>
        <p>${say('download.where')}</p></li>
      <li><p>${say('download.start')}</p>
        <details><summary>${say('download.variables')}</summary>
          <div class="code"><button type="button" class="quiet small" data-copy="environment" hidden>${say(
            'download.copy',
            {
              hidden: (parts) => html`<span class="visually-hidden">${parts}</span>`,
            },
          )}</button>
          <pre tabindex="0" role="region" aria-label="${say('download.variablesLabel')}"><code id="environment">${lines}</code></pre></div></details></li>
    </ol>`
}

/** The time left of a session; frame.js counts down, and puts minutes in the place of `#`. */
export function timeLeft(say: Say, expires: bigint): Html {
  const minutes = Math.max(0, Math.floor((Number(expires) * 1000 - Date.now()) / 60_000))
  return html`<span data-expires="${expires}" data-some="${say('play.left', { minutes: '#' })}" data-last="${say('play.lastMinute')}" data-over="${say('play.ended')}">${say('play.left', { minutes })}</span>`
}
