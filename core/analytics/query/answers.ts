import type { Core } from '../../context.ts'
import type { Answers, Part } from '../store/cell/answers.ts'
import { daysOf, type Days } from './range-of-days.ts'
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
  const { store, refusals } = core
  const lists = parts.has('help')
  const read = async (game: number): Promise<Answers> => {
    if (parts.has('rejections')) await refusals.flush()
    const answers = await store.answers.read(game, { ...days, build, parts })
    const isBehind = lists && (await (await store.learnersSeen(game)).isBehind(game))
    return isBehind ? { ...answers, behind: Math.max(answers.behind, 1) } : answers
  }
  return { ...days, answers: await readCounts(core, studio, query, read, { lists }) }
}
