import { GameState } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'

const words: Record<GameState, readonly [className: string, text: string]> = {
  [GameState.UNSPECIFIED]: ['', 'Unknown'],
  [GameState.DRAFT]: ['', 'Draft'],
  [GameState.IN_REVIEW]: ['busy', 'In review'],
  [GameState.REJECTED]: ['bad', 'Rejected'],
  [GameState.PUBLISHED]: ['good', 'Published'],
  [GameState.UPDATE_STAGED]: ['good', 'Published · update staged'],
  [GameState.UPDATE_IN_REVIEW]: ['busy', 'Published · update in review'],
  [GameState.UPDATE_REJECTED]: ['warn', 'Published · update rejected'],
  [GameState.WITHDRAWN]: ['warn', 'Withdrawn'],
}

export const stateBadge = (state: GameState): Html =>
  html`<span class="badge ${words[state][0]}">${words[state][1]}</span>`

const live: readonly GameState[] = [
  GameState.PUBLISHED,
  GameState.UPDATE_STAGED,
  GameState.UPDATE_IN_REVIEW,
  GameState.UPDATE_REJECTED,
]

/** Everybody can play it. */
export const isLive = (state: GameState): boolean => live.includes(state)

export const isInReview = (state: GameState): boolean =>
  state === GameState.IN_REVIEW || state === GameState.UPDATE_IN_REVIEW
