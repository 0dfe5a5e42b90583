import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game, GameFile } from '../../../gen/lrs/v1/games_pb.js'
import { quotas } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { counted, inBytes } from '../parts/amount.ts'
import { problem } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { mediaPath, thumbnailPath } from '../parts/media.ts'
import { uploadBox } from '../parts/upload-box.ts'

const images = quotas.galleryImages.limit
const documents = quotas.teachingNotes.limit

/** A text that was refused. */
export interface Describing {
  readonly failure: Failure
  readonly fileId: string
  readonly values: Form
}

/** Images and documents of a game. */
export const mediaPage = (visit: Visit, game: Game, { done, describing }: { done?: string; describing?: Describing }) =>
  gameLayout(visit, game, 'Media', html`${gallery(visit, game, describing)}${teachingNotes(visit, game, describing)}`, {
    done,
    scripts: ['upload.js'],
    styles: ['game.css'],
  })

/** The images with their descriptions, and a box to add one. */
function gallery(visit: Visit, { summary, gallery }: Game, describing?: Describing): Html {
  const { gameId } = summary!
  return html`<section class="card" aria-labelledby="gallery"><h2 id="gallery">Gallery</h2>
      <p class="muted">${gallery.length === 0 ? 'Images make people want to play. The first one is the cover.' : html`${counted(gallery.length, 'image')} of ${images}. The first one is the cover.`}</p>
      <ul class="grid">${gallery.map(
        (
          file,
          n,
        ) => html`<li class="image" id="file-${file.fileId}"><img src="${thumbnailPath(file.storageKey)}" alt="${file.text}" loading="lazy">
        ${describe(visit, gameId, file, 'What the image shows', describing, [n > 0 && 'earlier', n < gallery.length - 1 && 'later'])}</li>`,
      )}</ul>
      ${
        gallery.length < images &&
        uploadBox(visit, {
          id: 'image',
          action: `/games/${gameId}/uploads`,
          kind: 'gallery-image',
          label: 'Add an image',
          hint: `PNG, JPEG, WebP, GIF or AVIF, ${inBytes(quotas.galleryImages.each)} at most.`,
          accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif',
          next: `/games/${gameId}/media#gallery`,
        })
      }</section>`
}

function teachingNotes(visit: Visit, { summary, teachingNotes }: Game, describing?: Describing): Html {
  const { gameId } = summary!
  return html`<section class="card" aria-labelledby="notes"><h2 id="notes">Teaching notes</h2>
      <p class="muted">${teachingNotes.length === 0 ? 'Documents that help teachers to use the game in class.' : `${counted(teachingNotes.length, 'document')} of ${documents}.`}</p>
      ${teachingNotes.map(
        (
          file,
        ) => html`<div class="note"><p><a href="${mediaPath(file.storageKey, file.fileName)}">${file.fileName}</a> <span class="hint">${inBytes(file.size)}</span></p>
        ${describe(visit, gameId, file, 'Title of the document', describing)}</div>`,
      )}
      ${
        teachingNotes.length < documents &&
        uploadBox(visit, {
          id: 'note',
          action: `/games/${gameId}/uploads`,
          kind: 'teaching-note',
          label: 'Add a document',
          hint:
            `PDF, Word, PowerPoint, Excel, OpenDocument, text or Markdown, ${inBytes(quotas.teachingNotes.each)} at ` +
            'most.',
          accept: '.pdf,.docx,.pptx,.xlsx,.odt,.odp,.ods,.txt,.md',
          rule: '/packaging#documents',
          next: `/games/${gameId}/media#notes`,
        })
      }</section>`
}

const arrows = { earlier: '←', later: '→' } as const
type Way = keyof typeof arrows

function describe(
  visit: Visit,
  gameId: string,
  { fileId, fileName, text }: GameFile,
  label: string,
  describing?: Describing,
  ways: readonly (Way | false)[] = [],
): Html {
  const mine = describing?.fileId === fileId ? describing : undefined
  // the link in the error leads here
  const id = mine ? 'field-text' : `text-${fileId}`
  const path = `/games/${gameId}/files/${fileId}`
  return html`<form method="post" action="${path}" class="describe">${visit.csrf}
          ${problem(mine?.failure, { text: label })}
          <label for="${id}">${label}<span class="visually-hidden"> ${fileName}</span></label>
          <input id="${id}" name="text" value="${mine?.values('text') ?? text}" maxlength="300"${mine && html` aria-invalid="true"`}>
          <div class="actions"><button class="quiet small">Save<span class="visually-hidden"> text of ${fileName}</span></button>
          ${ways.map((way) => way !== false && html`<button class="quiet small" formaction="${path}/${way}" title="Move ${way}"><span class="arrow" aria-hidden="true">${arrows[way]}</span><span class="visually-hidden">Move ${fileName} ${way}</span></button>`)}
          <button class="danger small" formaction="${path}/remove">Remove<span class="visually-hidden"> ${fileName}</span></button></div></form>`
}
