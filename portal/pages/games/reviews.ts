import type { OpenProfile } from '../../../gen/lrs/v1/accounts_pb.js'
import { BuildKind, type Game, type OpenReview } from '../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../web/html.ts'
import { inEnglish } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { hidden, form, type Sent } from '../parts/form.ts'
import { comparison, profileComparison } from '../parts/comparison.ts'
import { buildFacts } from './builds.ts'
import { isLive, stateBadge } from '../parts/game-state.ts'
import { factsOf } from '../parts/facts.ts'
import { factsOfGame, languageName } from '../parts/game-facts.ts'
import { layout } from '../parts/layout.ts'
import { cover, mediaPath } from '../parts/media.ts'

/** What waits for a decision, the oldest first. */
export function reviewsPage(visit: Visit, reviews: OpenReview[], profiles: OpenProfile[], done?: string): Html {
  if (reviews.length + profiles.length === 0) {
    return layout(
      visit,
      'Reviews',
      html`<div class="card empty"><h2>Nothing to review</h2><p class="muted">Submitted games appear here, the oldest
      first.</p></div>`,
      { done },
    )
  }
  return layout(
    visit,
    'Reviews',
    html`<ul class="grid">${reviews.map(
      ({ game, review }) => html`
        <li class="card game-card">${cover(game!)}<div class="text">${stateBadge(game!.state)}
          <h2><a href="/reviews/${game!.gameId}">${game!.name}</a></h2>
          <p>${game!.studioName}</p><p class="hint">Submitted ${moment(review!.submitted)}</p></div></li>`,
    )}${profiles.map(
      ({ studio, accepted, changed }) => html`
        <li class="card game-card"><div class="text"><span class="badge busy">Studio profile</span>
          <h2><a href="/reviews/studios/${studio!.studioId}">${accepted!.name}</a></h2>
          <p class="hint">Changed ${moment(changed)}</p></div></li>`,
    )}</ul>`,
    { done, lead: 'The oldest first.' },
  )
}

const looks = [
  'It starts, can be played to its end and does what its page says.',
  'Name, summary, description and images match the game and suit its players.',
  'It reports what learners do, with meaningful verbs and activities.',
  'It asks learners only for the personal data that it needs.',
]

function roleOf({ summary, staged, live }: Game): string {
  if (!live) return 'Not yet public'
  if (staged) return 'An update of the live game'
  return isLive(summary!.state) ? 'Already public: only its page is in review' : 'Public before, now withdrawn'
}

export function reviewPage(visit: Visit, game: Game, sent: Sent = {}): Html {
  const { gameId, name, studioName, studioSlug, summary } = game.summary!
  const build = (game.staged ?? game.live)!
  const submission = game.reviews.find(({ decided, withdrawn }) => decided === 0n && !withdrawn)
  return layout(
    visit,
    name,
    html`
      ${
        game.changed &&
        html`<section class="card" aria-labelledby="changes"><h2 id="changes">What players would read and
        see</h2>${comparison(game)}</section>`
      }
      <div class="halves">
        <div>
          <section class="card" aria-labelledby="build"><h2 id="build">The build</h2>
            ${buildFacts(visit, build, roleOf(game))}
            ${
              build.kind === BuildKind.BROWSER &&
              html`<p class="actions"><a class="button" href="/games/${gameId}/sandbox">Try it in the sandbox</a></p>`
            }
            ${
              submission &&
              submission.message !== '' &&
              html`<div class="said"><p class="hint">The studio writes</p>${paragraphs(submission.message)}</div>`
            }</section>
          ${
            !game.changed &&
            html`<section class="card" aria-labelledby="about"><h2 id="about">What players read</h2>
            <p><strong>${summary}</strong></p>${paragraphs(game.description)}${factsOf(factsOfGame(inEnglish, game.summary!.facts))}
            ${game.consent !== '' && html`<h3>What they agree to first</h3>${paragraphs(game.consent)}`}
            ${game.texts.map(
              ({ language, summary, description, consent }) =>
                html`<h3>In ${languageName(inEnglish, language)}</h3>${[summary, description, consent].map(paragraphs)}`,
            )}
            <ul class="grid">${game.gallery.map(
              ({ storageKey, text }) =>
                html`<li class="image"><img src="${mediaPath(storageKey)}" alt="${text}" loading="lazy"></li>`,
            )}</ul>
            ${
              game.teachingNotes.length > 0 &&
              html`<p>Teaching notes: ${game.teachingNotes.map(
                ({ storageKey, fileName, text }, index) =>
                  html`${index > 0 && ', '}<a href="${mediaPath(storageKey, fileName)}">${text || fileName}</a>`,
              )}</p>`
            }</section>`
          }
        </div>
        <section class="card" aria-labelledby="decide"><h2 id="decide">Decide</h2>
          <p class="muted">Check that:</p><ul>${looks.map((look) => html`<li>${look}</li>`)}</ul>
          ${form(visit, `/reviews/${gameId}`, sent, [
            html`<input type="hidden" name="build" value="${build.buildId}"><input type="hidden" name="page"
            value="${game.page}">`,
            {
              name: 'note',
              label: 'Note for the studio',
              hint: 'Required for a rejection: say what to change.',
              rows: 5,
            },
            html`<div class="actions"><button name="decision" value="approve">Approve and publish</button>
            <button class="danger" name="decision" value="reject">Reject</button></div>`,
          ])}</section>
      </div>`,
    {
      trail: [{ href: '/reviews', text: 'Reviews' }],
      aside: stateBadge(game.summary!.state),
      styles: ['game.css'],
      lead: html`By <a href="/studios/${studioSlug}">${studioName}</a>${
        submission && html`, submitted ${moment(submission.submitted)}`
      }`,
    },
  )
}

export function profileReviewPage(
  visit: Visit,
  { studio, accepted, profile, changed }: OpenProfile,
  sent: Sent = {},
): Html {
  const { studioId, slug } = studio!
  return layout(
    visit,
    accepted!.name,
    html`
      <section class="card" aria-labelledby="changes"><h2 id="changes">What people would read and
      see</h2>${profileComparison(accepted!, studio!)}</section>
      <section class="card" aria-labelledby="decide"><h2 id="decide">Decide</h2>
        ${form(visit, `/reviews/studios/${studioId}`, sent, [
          hidden('profile', profile),
          {
            name: 'note',
            label: 'Note for the studio',
            hint: 'Required for a rejection: say what to change.',
            rows: 5,
          },
          html`<div class="actions"><button name="decision" value="approve">Accept</button>
          <button class="danger" name="decision" value="reject">Reject</button></div>`,
        ])}</section>`,
    {
      trail: [{ href: '/reviews', text: 'Reviews' }],
      aside: html`<span class="badge busy">Studio profile</span>`,
      styles: ['game.css', 'account.css'],
      lead: html`<a href="/studios/${slug}">Its public page</a>, changed ${moment(changed)}`,
    },
  )
}
