import type { Build } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../html.ts'
import type { Visit } from '../../visit.ts'

/** Where the portal serves an image or document; the name is what a browser calls the file when it saves it. */
export const mediaPath = (storageKey: string, fileName = ''): string =>
  `/media/${storageKey}${fileName === '' ? '' : `/${encodeURIComponent(fileName)}`}`

/** Address of a package in the player; undefined: the build is none. @param files signed path; empty: the public one */
export const packagePath = ({ at }: Visit, { buildId, fileName, storageKey }: Build, files = ''): string | undefined =>
  storageKey === '' ? undefined : `${at.games(buildId)}${files}/d/${buildId}/${encodeURIComponent(fileName)}`

/** The first image of a game, or its first letter. */
export const cover = ({ cover, coverText, name }: { cover: string; coverText: string; name: string }): Html =>
  cover === ''
    ? html`<div class="cover none" aria-hidden="true">${Array.from(name)[0] ?? ''}</div>`
    : html`<img class="cover" src="${mediaPath(cover)}" alt="${coverText}" loading="lazy">`
