import type { Build, GameSummary } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import { inEnglish, type Say } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { factsOfGame } from './game-facts.ts'

/** Where the portal serves an image or document; the name is what a browser calls the file when it saves it. */
export const mediaPath = (storageKey: string, fileName = ''): string =>
  `/media/${storageKey}${fileName === '' ? '' : `/${encodeURIComponent(fileName)}`}`

/** Where the portal serves an image in a size for lists; the image itself if there is none. */
export const thumbnailPath = (storageKey: string): string => mediaPath(storageKey.replace(/^files/, 'thumbnails'))

/** Address of a package in the player; undefined: the build is none. @param files signed path; empty: the public one */
export const packagePath = ({ at }: Visit, { buildId, fileName, storageKey }: Build, files = ''): string | undefined =>
  storageKey === '' ? undefined : `${at.games(buildId)}${files}/d/${buildId}/${encodeURIComponent(fileName)}`

/** The first image of a game in a size for lists, or its first letter. */
export const cover = ({ cover, coverText, name }: { cover: string; coverText: string; name: string }): Html =>
  cover === ''
    ? html`<div class="cover none" aria-hidden="true">${Array.from(name)[0] ?? ''}</div>`
    : html`<img class="cover" src="${thumbnailPath(cover)}" alt="${coverText}" loading="lazy">`

/** Games that can be played, as cards. */
export const gameCards = (games: GameSummary[], say: Say = inEnglish): Html =>
  html`<ul class="grid">${games.map(
    (game) => html`
        <li class="card game-card">${cover(game)}<div class="text"><h3><a href="/g/${game.slug}">${game.name}</a></h3>
          ${game.summary !== '' && html`<p>${game.summary}</p>`}<p class="hint">${[
            game.studioName,
            ...factsOfGame(say, game.facts).map(([, text]) => text),
          ].join(' · ')}</p></div></li>`,
  )}</ul>`
