import type { GameSummary, GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { inBytes } from '../../parts/amount.ts'
import { layout } from '../../parts/layout.ts'
import { gameCards, mediaPath, packagePath, thumbnailPath } from '../../parts/media.ts'
import { codeForm } from './join.ts'

const gifts = [
  {
    title: 'Upload a build',
    text:
      'A zip for the browser, or a package to download. It is checked when it arrives. A rejection names the file and ' +
      'the rule.',
  },
  {
    title: 'See every call',
    text: html`Play as a test learner and watch each call of your game as it arrives. A rejected call shows what was wrong, and where. <a href="/reporting">How a game reports</a>`,
  },
  {
    title: 'Know what players learn',
    text: 'Who plays, what they complete and how they score: in charts, and as xAPI statements.',
  },
]

/** Where studios go on. */
function entrance({ account, noSignUp }: Visit): Html {
  if (account) return html`<a class="button" href="/games">Your games</a>`
  if (noSignUp) return html`<a class="button" href="/sign-in">Sign in</a>`
  return html`<a class="button" href="/sign-up">Open a studio</a> <a class="button quiet" href="/sign-in">Sign in</a>`
}

/** The home page: what the service is, and its games. */
export function homePage(visit: Visit, games: GameSummary[]): Html {
  return layout(
    visit,
    'Games LRS',
    html`
      <section class="hero">
        <h1>Games that show what players learn</h1>
        <p class="lead">For studios that make learning games: publish them, let people play, and see what they achieve,
        in the open standard xAPI.</p>
        <div class="actions">${entrance(visit)}</div>
        <div class="card join" lang="${visit.say.language}">${codeForm(visit, {}, visit.say.text('join.have'))}</div>
      </section>
      <section aria-labelledby="play"><h2 id="play">Play</h2>
        ${games.length === 0 ? html`<div class="card empty"><p>No game is published yet. ${visit.account ? 'Yours could be the first.' : html`<a href="${visit.noSignUp ? '/sign-in' : '/sign-up'}">Yours could be the first.</a>`}</p></div>` : gameCards(games)}
      </section>
      <section aria-labelledby="studios"><h2 id="studios">For studios</h2>
        <ul class="grid">${gifts.map(({ title, text }) => html`<li class="card"><h3>${title}</h3><p class="muted">${text}</p></li>`)}</ul>
      </section>`,
    { bare: true, styles: ['game.css', 'join.css'] },
  )
}

/** The public page of a game. */
export function publishedGamePage(
  visit: Visit,
  { game, description, gallery, teachingNotes, build, studio }: GetPublishedGameResponse,
): Html {
  const { name, slug, summary } = game!
  const download = packagePath(visit, build!)
  const [first, ...others] = gallery
  return layout(
    visit,
    name,
    html`
      <div class="showcase">
        ${first && html`<img class="first" src="${mediaPath(first.storageKey)}" alt="${first.text}">`}
        <div>
          ${summary !== '' && html`<p class="lead">${summary}</p>`}
          <p class="hint">By <a href="/studios/${studio!.slug}">${studio!.name}</a></p>
          <p class="actions"><a class="button large" href="/play/${slug}">Play</a>
            ${download !== undefined && html`<a class="button large quiet" href="${download}">Download</a> <span class="hint">${build!.fileName}, ${inBytes(build!.size)}</span>`}</p>
        </div>
      </div>
      ${description !== '' && html`<section class="prose" aria-label="About the game">${paragraphs(description)}</section>`}
      ${
        others.length > 0 &&
        html`<section aria-labelledby="images"><h2 id="images">Images</h2>
        <ul class="grid">${others.map(({ storageKey, text }) => html`<li class="image"><a href="${mediaPath(storageKey)}"><img src="${thumbnailPath(storageKey)}" alt="${text || 'Image of the game'}" loading="lazy"></a></li>`)}</ul></section>`
      }
      ${
        teachingNotes.length > 0 &&
        html`<section aria-labelledby="notes"><h2 id="notes">For teachers</h2>
        <ul class="card plain">${teachingNotes.map(({ storageKey, fileName, text, size }) => html`<li><a href="${mediaPath(storageKey, fileName)}">${text || fileName}</a> <span class="hint">${inBytes(size)}</span></li>`)}</ul></section>`
      }`,
    { styles: ['game.css'] },
  )
}
