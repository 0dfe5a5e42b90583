import type { Game } from '../../gen/lrs/v1/games_pb.js'
import type { Upload } from '../../gen/lrs/v1/uploads_pb.js'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { gameLayout } from './game-layout.ts'
import { isInReview } from './game-state.ts'
import { openUploads } from './game.ts'
import { uploadBox } from './upload-box.ts'

const GiB = 2 ** 30

/** Where a build is brought. */
export function uploadPage(visit: Visit, game: Game, uploads: Upload[], done?: string): Html {
  const { gameId, state } = game.summary!
  const at = { action: `/games/${gameId}/uploads`, next: `/games/${gameId}?done=staged`, max: GiB }
  if (!game.allowed.includes('upload')) {
    return gameLayout(visit, game, 'Build', html`<div class="card"><p>${isInReview(state)
      ? html`A build is in review. To bring another one, <a href="/games/${gameId}/withdraw">take it back</a> first.`
      : 'No build can be uploaded right now.'}</p></div>`)
  }
  return gameLayout(visit, game, 'Build', html`
      <div class="halves">
        <section class="card" aria-labelledby="browser"><h2 id="browser">Runs in the browser</h2>
          ${uploadBox(visit, { ...at, id: 'browser-file', kind: 'browser-build', label: 'Browser build', accept: '.zip,application/zip',
            hint: html`A zip with index.html at its top, 1 GB at most. <a href="/packaging">Packaging rules</a>` })}</section>
        <section class="card" aria-labelledby="desktop"><h2 id="desktop">To download</h2>
          ${uploadBox(visit, { ...at, id: 'desktop-file', kind: 'desktop-build', label: 'Desktop package', accept: '.zip,.exe,.msi,.dmg,.appimage,.tar.gz,.tgz,.deb,.rpm,.7z',
            hint: html`An installer or archive, 1 GB at most. <a href="/packaging">Packaging rules</a>` })}</section>
      </div>
      ${openUploads(visit, gameId, uploads)}`, {
    done, scripts: ['upload.js'], styles: ['game.css'],
    lead: game.staged || game.live ? 'The new build takes the place of the staged one. What players play stays until a reviewer has approved it.' : undefined,
  })
}
