import type { Game } from '../../gen/lrs/v1/games_pb.js'
import type { Upload } from '../../gen/lrs/v1/uploads_pb.js'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { inBytes, moment } from './amount.ts'
import { gameLayout } from './game-layout.ts'
import { isInReview } from './game-state.ts'
import { uploadBox } from './upload-box.ts'

/** Where a build is brought. */
export function uploadPage(visit: Visit, game: Game, uploads: Upload[], done?: string): Html {
  const { gameId, state } = game.summary!
  const at = { action: `/games/${gameId}/uploads`, next: `/games/${gameId}?done=staged` }
  if (!game.allowed.includes('upload')) {
    return gameLayout(visit, game, 'Build', html`<div class="card"><p>${isInReview(state)
      ? html`A build is in review. To bring another one, <a href="/games/${gameId}/withdraw">take it back</a> first.`
      : 'No build can be uploaded right now.'}</p></div>`)
  }
  return gameLayout(visit, game, 'Build', html`
      <div class="halves">
        <section class="card" aria-labelledby="browser"><h2 id="browser">Runs in the browser</h2>
          ${uploadBox(visit, { ...at, id: 'browser-file', kind: 'browser-build', label: 'Browser build', accept: '.zip,application/zip', rule: '/packaging#zip',
            hint: html`A zip with index.html at its top. <a href="/packaging">Packaging rules</a>, <a href="/limits#build">how large</a>` })}</section>
        <section class="card" aria-labelledby="desktop"><h2 id="desktop">To download</h2>
          ${uploadBox(visit, { ...at, id: 'desktop-file', kind: 'desktop-build', label: 'Desktop package', accept: '.zip,.exe,.msi,.dmg,.appimage,.tar.gz,.tgz,.deb,.rpm,.7z', rule: '/packaging#desktop',
            hint: html`An installer or archive. <a href="/packaging">Packaging rules</a>, <a href="/limits#build">how large</a>` })}</section>
      </div>
      ${openUploads(visit, gameId, uploads)}`, {
    done, scripts: ['upload.js'], styles: ['game.css'],
    lead: html`${leadOf(game)} <a href="/reporting">How a game reports</a>`,
  })
}

/** A game has one build of either kind. */
function leadOf({ live, staged }: Game): string {
  if (live) return 'The new build takes the place of the staged one, whichever kind it is. What players play stays until a reviewer has approved it.'
  const either = 'A game has one build: a browser build and a desktop build replace one another.'
  return staged ? `${either} The new one takes the place of ${staged.fileName}.` : either
}

/** Uploads that were begun and not ended. */
function openUploads(visit: Visit, gameId: string, uploads: Upload[]): Html {
  if (uploads.length === 0) return html``
  return html`<section class="card" aria-labelledby="open"><h2 id="open">Not finished</h2>
      <p class="muted">Choose the same file again and the upload goes on where it stopped.</p>
      ${uploads.map(({ uploadId, fileName, size, expires }) => html`<form method="post" action="/games/${gameId}/uploads/${uploadId}/cancel" class="file-row">
        ${visit.csrf}<span><strong>${fileName}</strong> <span class="hint">${inBytes(size)} · kept until ${moment(expires)}</span></span>
        <button class="quiet small">Discard<span class="visually-hidden"> ${fileName}</span></button></form>`)}</section>`
}
