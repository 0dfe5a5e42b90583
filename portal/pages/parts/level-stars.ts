import type { LearnerLevel } from '../../../gen/lrs/v1/learners_pb.js'
import { levelStars } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Say } from '../../web/say.ts'
import { describe, type NamedGame } from './describe.ts'
import { drawing } from './pictures.ts'

type Reached = Pick<LearnerLevel, 'done' | 'best'>

/** Stars of a level that is done: by its best score; without a score, all three. */
export function starsOf({ done, best = 1 }: Reached): number {
  if (done === 0) return 0
  return 1 + Number(best >= levelStars.two) + Number(best >= levelStars.three)
}

/** All stars of these levels, and how many there could be. */
export const starsIn = (levels: readonly Reached[]) => ({
  stars: levels.reduce((sum, level) => sum + starsOf(level), 0),
  most: levels.length * 3,
})

/** The levels of a learner in the order in which they were begun, with stars; undefined: there is none. */
export function levelList(say: Say, levels: readonly LearnerLevel[], game: NamedGame): Html | undefined {
  if (levels.length === 0) return undefined
  const nameOf = ({ activityId, name }: LearnerLevel): string => {
    const definition = name === '' ? {} : { name: JSON.parse(name) as object }
    return describe({ object: { id: activityId, definition } }, [say.language], game, say).what
  }
  const inOrder = levels.toSorted((one, other) => Number(one.firstSeen - other.firstSeen))
  const [two, three] = [levelStars.two, levelStars.three].map((share) => say.number(share * 100))
  return html`<ol class="stars">${inOrder.map((level) => {
    const stars = starsOf(level)
    return html`<li><b>${nameOf(level)}</b><span role="img" aria-label="${say('stars.of', { stars })}">${[1, 2, 3].map(
      (n) => html`<span${n > stars && html` class="missing"`}>${drawing('star')}</span>`,
    )}</span></li>`
  })}</ol>
      <details class="figures"><summary>${say('stars.rule')}</summary><p>${say('stars.meaning', { two: two!, three: three! })}</p></details>`
}
