import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Upload } from '../../../gen/lrs/v1/uploads_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { inBytes, moment } from '../parts/amount.ts'
import { field, select, textarea } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { isInReview } from '../parts/game-state.ts'
import { uploadBox } from '../parts/upload-box.ts'

/** Where a build is brought. */
export function uploadPage(visit: Visit, game: Game, uploads: Upload[], done?: string): Html {
  const { gameId, state } = game.summary!
  const at = { action: `/games/${gameId}/uploads`, next: `/games/${gameId}/builds?done=staged` }
  const isOpen = game.allowed.includes('upload')
  if (!isOpen && !isInReview(state)) {
    return gameLayout(visit, game, 'Build', html`<div class="card"><p>No build can be uploaded right now.</p></div>`)
  }
  return gameLayout(
    visit,
    game,
    'Build',
    html`
      ${
        !isOpen &&
        html`<p class="notice">A build is in review: what you upload now is a beta. To upload another build for review,
        <a href="/games/${gameId}/withdraw">withdraw it from review</a> first.</p>`
      }
      ${words(isOpen)}
      <div class="halves">
        <section class="card" aria-labelledby="browser"><h2 id="browser">Runs in the browser</h2>
          ${uploadBox(visit, {
            ...at,
            id: 'browser-file',
            kind: 'browser-build',
            label: 'Browser build',
            accept: '.zip,application/zip',
            rule: '/packaging#zip',
            hint: html`A zip with index.html at its top level. <a href="/packaging">Packaging rules</a>, <a href="/limits#build">size limits</a>`,
          })}</section>
        <section class="card" aria-labelledby="desktop"><h2 id="desktop">To download</h2>
          ${uploadBox(visit, {
            ...at,
            id: 'desktop-file',
            kind: 'desktop-build',
            label: 'Desktop package',
            accept: '.zip,.exe,.msi,.dmg,.appimage,.tar.gz,.tgz,.deb,.rpm,.7z',
            rule: '/packaging#desktop',
            hint: html`An installer or archive. <a href="/packaging">Packaging rules</a>, <a href="/limits#build">size limits</a>`,
          })}</section>
      </div>
      ${openUploads(visit, gameId, uploads)}`,
    {
      done,
      scripts: ['upload.js'],
      styles: ['game.css'],
      lead: html`${leadOf(game)} <a href="/reporting">How a game reports</a>,
      <a href="/docs/launch#where-a-game-runs">where it runs</a>, <a href="/docs/push">from CI</a>`,
    },
  )
}

/** What is sent with a build; upload.js reads it when a file is chosen. */
function words(isOpen: boolean): Html {
  const live = { value: 'live', text: 'Live: staged, for the next review' }
  const beta = { value: 'beta', text: 'Beta: for members of the studio, at once' }
  return html`<details class="card build-words"${!isOpen && html` open`}><summary>Channel, version and notes</summary>
      <div class="form">
      ${select({ name: 'channel', label: 'Where it goes', of: isOpen ? [live, beta] : [beta], required: true })}
      ${field({ name: 'version', label: 'Version', hint: 'Such as a tag: v1.2', maxLength: 40, autocomplete: 'off' })}
      ${textarea({ name: 'notes', label: 'What is new', rows: 3 })}</div></details>`
}

/** Either kind takes the place of the other. */
function leadOf({ live, staged }: Game): string {
  if (live)
    return (
      'The new build replaces the staged build, if there is one. ' +
      'Players keep the live build until a reviewer approves the new one.'
    )
  const either =
    'A game is played in the browser or downloaded: a browser build replaces a desktop build, and the other way round.'
  return staged ? `${either} The new build replaces ${staged.fileName}.` : either
}

/** Uploads that were begun and not ended. */
function openUploads(visit: Visit, gameId: string, uploads: Upload[]): Html {
  if (uploads.length === 0) return html``
  return html`<section class="card" aria-labelledby="open"><h2 id="open">Unfinished uploads</h2>
      <p class="muted">Choose the same file again to continue an upload where it stopped.</p>
      ${uploads.map(
        ({
          uploadId,
          fileName,
          size,
          expires,
        }) => html`<form method="post" action="/games/${gameId}/uploads/${uploadId}/cancel" class="file-row">
        ${visit.csrf}<span><strong>${fileName}</strong> <span class="hint">${inBytes(size)} · kept until ${moment(expires)}</span></span>
        <button class="quiet small">Discard<span class="visually-hidden"> ${fileName}</span></button></form>`,
      )}</section>`
}
