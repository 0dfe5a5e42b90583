import type { Core } from '../../context.ts'
import { unlessReadOnly } from '../../process/database/store-failure.ts'
import type { Answers, Part } from '../store/cell/answers.ts'
import { daysOf, type Days } from './range-of-days.ts'
import { foldTallies } from './fold-tallies.ts'
import { readCounts, type CountsNeeds, type CountsOf } from './read-counts.ts'

export interface AnswersQuery extends Days, CountsOf {
  /** Undefined: all. */
  readonly build?: number
  readonly parts: ReadonlySet<Part>
}

/** Answers, and the days to which they refer: since 1970. */
export interface Answered {
  /** Undefined: nobody has opened the sandbox. */
  readonly answers?: Answers
  readonly from: number
  readonly to: number
}

/**
 * Answers about a range of days.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export async function getAnswers(
  core: CountsNeeds & Pick<Core, 'refusals'>,
  studio: number | undefined,
  { build, parts, ...query }: AnswersQuery,
): Promise<Answered> {
  const days = daysOf(query)
  const answers = await readCounts(core, studio, query, async (game) => {
    if (parts.has('rejections')) await core.refusals.flush()
    const isBehind = parts.has('help') && (await listLearners(core, game))
    const read = await core.store.answers.read(game, { ...days, build, parts })
    return isBehind ? { ...read, behind: Math.max(read.behind, 1) } : read
  })
  return { ...days, answers }
}

/** Learners are listed apart from counts. Returns whether some statements are not listed yet. */
async function listLearners({ store, jobs }: CountsNeeds, game: number): Promise<boolean> {
  const seen = await store.learnersSeen(game)
  await jobs.run('lists of learners', 0, () => foldTallies(seen, game)).catch(unlessReadOnly)
  return seen.isBehind(game)
}
