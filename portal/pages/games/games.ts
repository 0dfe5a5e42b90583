import { BuildKind, GameState, type GameSummary } from '../../../gen/lrs/v1/games_pb.js'
import type { GameDays } from '../../../gen/lrs/v1/insights_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { form, submit, type Sent } from '../parts/form.ts'
import { stateBadge } from '../parts/game-state.ts'
import { amount } from '../../charts/words.ts'
import { counted } from '../parts/amount.ts'
import { layout } from '../parts/layout.ts'
import { trendOf } from '../parts/trend.ts'
import { cover } from '../parts/media.ts'

const newGame = html`<a class="button" href="/games/new">New game</a>`

/** The studio's games; `usage` are the bars of its quotas. @param weeks their last 7 days by id, of those games that have them */
export function gamesPage(
  visit: Visit,
  games: GameSummary[],
  weeks: ReadonlyMap<string, GameDays>,
  usage: Html,
  done?: string,
): Html {
  const makes = isDeveloper(visit)
  if (games.length === 0) return layout(visit, 'Games', html`${makes ? empty : emptyForAnalysts}${usage}`, { done })
  return layout(
    visit,
    'Games',
    html`<ul class="grid">${games.map((game) => card(game, makes, weeks.get(game.gameId)))}</ul>${usage}`,
    {
      aside: makes ? newGame : undefined,
      done,
    },
  )
}

const emptyForAnalysts = html`
      <div class="card empty">
        <h2>No games yet</h2>
        <p class="muted">When the studio has games, you see here what players do in them.</p>
      </div>`

const empty = html`
      <div class="card empty">
        <h2>Add your first game</h2>
        <p class="muted">Name it, upload a build and try it as a test learner: you see every call it makes.
        When a reviewer has approved it, players can play it and you see what they learn.</p>
        <div class="actions">${newGame} <a class="button quiet" href="/packaging">How to package a game</a></div>
      </div>`

const card = (game: GameSummary, makes: boolean, week: GameDays | undefined): Html => html`
        <li class="card game-card row">
          ${cover({ ...game, coverText: '' })}
          <div class="text">
            <h2><a href="/games/${game.gameId}">${game.name}</a></h2>
            ${stateBadge(game.state)}
          </div>
          ${week && weekOf(week)}
          ${game.summary !== '' && html`<p>${game.summary}</p>`}
          ${makes && nextStep(game) !== '' && html`<p class="hint">${nextStep(game)}</p>`}
        </li>`

function weekOf(week: GameDays): Html {
  const [players, before, refused] = [Number(week.learners), Number(week.learnersBefore), Number(week.refusals)]
  const days = week.days.map(Number)
  const most = Math.max(...days, 1)
  const points = days.map((count, at) => `${(at / (days.length - 1)) * 100},${22 - (count / most) * 20}`).join(' ')
  return html`<div class="week"><p><b>${amount(players)}</b> ${players === 1 ? 'player' : 'players'} in 7 days
              ${trendOf(players, before, '7 days')}${
                refused > 0 && html`<small class="warned">${counted(refused, 'request')} refused</small>`
              }</p>
            <svg viewBox="0 0 100 24" width="96" height="28" preserveAspectRatio="none" aria-hidden="true"><polyline
            points="${points}" fill="none" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke"/></svg>
            </div>`
}

function nextStep({ state, kind }: GameSummary): string {
  switch (state) {
    case GameState.DRAFT:
      return kind === BuildKind.UNSPECIFIED
        ? 'Next: upload a build'
        : 'Next: submit it for review, once you have tried it'
    case GameState.IN_REVIEW:
      return 'Waiting for review'
    case GameState.REJECTED:
      return 'Next: read the note and upload a new build'
    case GameState.UPDATE_STAGED:
      return 'Next: submit the update for review'
    case GameState.UPDATE_IN_REVIEW:
      return 'Update waiting for review'
    case GameState.UPDATE_REJECTED:
      return 'Next: read the note and upload a new build'
    case GameState.WITHDRAWN:
      return 'Submit it again to bring it back'
    case GameState.PUBLISHED:
    case GameState.UNSPECIFIED:
      return ''
  }
}

export function newGamePage(visit: Visit, sent: Sent = {}): Html {
  return layout(
    visit,
    'New game',
    html`<div class="card">${form(visit, '/games', sent, [
      {
        name: 'name',
        label: 'Name',
        hint: 'What players will call it. You can change it later.',
        required: true,
        maxLength: 100,
      },
      submit('Create draft'),
    ])}</div>`,
    {
      width: 'narrow',
      trail: [{ href: '/games', text: 'Games' }],
      lead: 'A draft is not public until a reviewer approves it.',
    },
  )
}
