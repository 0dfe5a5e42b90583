import type { Game, GameReview } from '../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { buildName, buildsOf } from './builds.ts'
import { changesNotice } from './game-changes.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { nextStep } from '../parts/game-steps.ts'
import { isLive } from '../parts/game-state.ts'

/** The builds and reviews of a game: what is public, what waits, what to do next. */
export function buildsPage(visit: Visit, game: Game, done?: string): Html {
  const { gameId, slug, state } = game.summary!
  return gameLayout(
    visit,
    game,
    'Builds',
    html`
      ${isLive(state) && html`<p>Players find it at <a href="/g/${slug}">${visit.at.portal}/g/${slug}</a>.</p>`}
      ${rejectionNotice(game)}
      ${changesNotice(game)}
      <div class="halves">
        <section class="card" aria-labelledby="builds"><h2 id="builds">Builds</h2>${buildsOf(visit, game)}</section>
        ${nextStep(game)}
      </div>
      ${game.reviews.length > 0 && html`<section class="card" aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>${game.reviews.map((one) => review(game, one))}</section>`}
      ${ending(gameId, game.allowed)}`,
    { done, styles: ['game.css'] },
  )
}

/** What the reviewer wants changed, until the game is submitted again. */
function rejectionNotice({ reviews, summary, allowed }: Game): Html | undefined {
  const [latest] = reviews
  if (!latest || latest.decided === 0n || latest.approved || latest.withdrawn) return undefined
  const { gameId } = summary!
  return html`<div class="notice bad">
    <p><strong>A reviewer rejected this on ${moment(latest.decided)}.</strong></p>
    ${paragraphs(latest.note)}
    <div class="actions">
      ${allowed.includes('submit') && html`<a class="button small quiet" href="/games/${gameId}/submit">Submit again</a>`}
      ${allowed.includes('upload') && html`<a class="button small quiet" href="/games/${gameId}/upload">Upload another build</a>`}
    </div>
  </div>`
}

function review(game: Game, { buildId, submitted, decided, approved, withdrawn, message, note }: GameReview): Html {
  const { live, staged, beta, kept } = game
  const build = [live, staged, beta, ...kept].find((one) => one?.buildId === buildId)
  const [className, words] = withdrawn
    ? ['', 'Withdrawn']
    : decided === 0n
      ? ['busy', 'Waiting for a decision']
      : approved
        ? ['good', 'Approved']
        : ['bad', 'Rejected']
  return html`<div class="review">
      <p><span class="badge ${className}">${words}</span> ${build && html`<b>${buildName(build)}</b>`} <span class="hint">submitted ${moment(submitted)}${decided > 0n && html`, decided ${moment(decided)}`}</span></p>
      ${message !== '' && html`<div class="said"><p class="hint">You wrote</p>${paragraphs(message)}</div>`}
      ${note !== '' && html`<div class="said"><p class="hint">The reviewer wrote</p>${paragraphs(note)}</div>`}
    </div>`
}

function ending(gameId: string, allowed: readonly string[]): Html {
  const withdraw =
    allowed.includes('withdraw') && html`<a class="button quiet" href="/games/${gameId}/withdraw">Withdraw</a>`
  const remove = allowed.includes('delete') && html`<a class="button danger" href="/games/${gameId}/delete">Delete</a>`
  return html`${(withdraw || remove) && html`<hr><div class="actions">${withdraw}${remove}</div>`}`
}
