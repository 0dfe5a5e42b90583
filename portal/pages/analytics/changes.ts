import type { GetAnswersResponse, LevelAnswer } from '../../../gen/lrs/v1/answers_pb.js'
import { difference, missing, type Difference, type Rate } from '../../../shared/difference.ts'
import { percentOf, points, signed } from '../../charts/words.ts'
import { counted } from '../parts/amount.ts'
import type { Asked } from './asked.ts'

/** `first`: the first try of each player at a level; `later`: all others. */
export type Tries = 'first' | 'later'
/** `pass` where the level says passed or failed, else `complete`. */
export type Goal = 'pass' | 'complete'

/** What a level has gained from one build to another. */
export interface Change extends Difference {
  readonly level: LevelAnswer
  readonly goal: Goal
  readonly before: Rate
  readonly now: Rate
}

export const isJudged = ({ passed, failed }: LevelAnswer): boolean => passed + failed > 0n

function rateOf(level: LevelAnswer, tries: Tries, goal: Goal): Rate {
  const first = {
    part: Number(goal === 'pass' ? level.firstPassed : level.firstCompleted),
    whole: Number(level.firstTries),
  }
  if (tries === 'first') return first
  const all = Number(goal === 'pass' ? level.passed : level.completed)
  return { part: all - first.part, whole: Number(level.attempts) - first.whole }
}

/** Levels that players of both builds tried: those with a certain change first, each by its size. */
export function changesOf(
  before: GetAnswersResponse,
  now: GetAnswersResponse,
  tries: Tries = 'first',
  wanted?: Goal,
): Change[] {
  const known = new Map(before.levels?.levels.map((level) => [level.activityId, level]))
  return (now.levels?.levels ?? [])
    .flatMap((level) => {
      const other = known.get(level.activityId)
      if (!other) return []
      const goal = wanted ?? (isJudged(level) || isJudged(other) ? 'pass' : 'complete')
      const [was, is] = [rateOf(other, tries, goal), rateOf(level, tries, goal)]
      if (was.whole === 0 || is.whole === 0) return []
      return [{ level, goal, before: was, now: is, ...difference(was, is) }]
    })
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain) || Math.abs(b.change) - Math.abs(a.change))
}

export const rateText = ({ part, whole }: Rate): string => percentOf(part, whole)
/** `+24 (12 to 34)` */
export const changeText = ({ change, low, high }: Change): string =>
  `${signed(change)} (${signed(low)} to ${signed(high)})`

/**
 * Whether the new build is better, in a sentence or two.
 * @param changes at first tries
 * @param now name of the new build
 * @param then the other one: when, or where
 */
export function verdict(changes: readonly Change[], now: string, name: Asked['name'], then = 'before'): string {
  const levels = changes.filter(({ level }) => !level.wholeGame)
  const certain = levels.filter(({ isCertain }) => isCertain)
  const [better, worse] = [certain.filter(({ change }) => change > 0), certain.filter(({ change }) => change < 0)]
  const said = (one: Change) =>
    `${rateText(one.now)} ${one.goal} ${name(one.level)} at the first try; ${then}, ${rateText(one.before)} did. The ` +
    `difference is between ${[one.low, one.high]
      .map(points)
      .toSorted((a, b) => Number(a) - Number(b))
      .join(' and ')} points.`
  const at = (way: string, [one, ...others]: readonly Change[]) =>
    `${way} at ${name(one!.level)} (${rateText(one!.now)} ${one!.goal}; ${then}, ${rateText(one!.before)} did)${
      others.length > 0 ? ` and ${counted(others.length, 'more level')}` : ''
    }`
  const more = (count: number, way: string) =>
    count > 1 ? ` ${counted(count - 1, 'more level')} ${count === 2 ? 'is' : 'are'} ${way}.` : ''
  if (better[0] && worse[0])
    return `${now} is ${at('better', better)}, and ${at('worse', worse)}. These are first tries.`
  if (better[0]) return `${now} is better: ${said(better[0])}${more(better.length, 'better')}`
  if (worse[0]) return `${now} is worse: ${said(worse[0])}${more(worse.length, 'worse')}`
  return levels[0] ? notYet(levels[0], now, name, then) : 'The two have no level in common.'
}

function notYet(
  { level, goal, before, now, change }: Change,
  build: string,
  name: Asked['name'],
  then: string,
): string {
  if (change === 0) return `No difference: ${rateText(now)} ${goal} ${name(level)} at the first try, as ${then}.`
  const count = missing(before, now)
  const seen = `${rateText(now)} ${goal} ${name(level)} at the first try; ${then}, ${rateText(before)} did`
  return `Not yet certain: ${seen}. This could be chance${
    count === undefined
      ? ': too few players of the other one tried it.'
      : `; with ${counted(count, 'more player')} of ${build} at this level it would be certain.`
  }`
}
