import { wrongAnswers } from '../../../shared/limits.ts'
import { verbKey, type Key } from '../../records/xapi/identify.ts'
import { answerVerbs } from '../../records/xapi/serious-games.ts'
import type { Activity } from '../../records/xapi/types.ts'
import { does, type Outcome } from './attempts.ts'
import { cellOf, levelsBegun, needsHelp, type Cell, type Level } from './board.ts'
import { playedBy, type Played } from './learner-levels.ts'
import { resultOf, saidIn, type LearnerResult, type ReadStatement } from './learner-result.ts'
import { playOf } from './plays.ts'

/** Keys of the verbs of answers. */
export const answerVerbKeys: readonly Key[] = answerVerbs.map(verbKey)

/** How an attempt ended. */
export type TryEnd = 'passed' | 'failed' | 'completed' | 'open'

export interface ReportCell extends Cell {
  /** Undefined: there was none. */
  readonly first?: TryEnd
  readonly last?: TryEnd
  readonly firstScore?: number
  readonly lastScore?: number
}

export interface ReportLevel extends Level {
  readonly pupils: number
  readonly done: number
  readonly doneFirst: number
  readonly doneLast: number
  readonly needHelp: number
}

export interface WrongAnswer {
  readonly activityId: string
  /** JSON of a language map; empty: none. */
  question: string
  readonly response: string
  /** The response, or what the choices of the question call it. */
  answer: string
  pupils: number
  times: number
}

/** What one pupil did, counted without the others. */
export interface PupilRead {
  readonly played: readonly Played[]
  readonly result: LearnerResult
  readonly wrong: readonly WrongAnswer[]
}

export interface PupilReport extends Pick<LearnerResult, 'passed' | 'failed' | 'completed' | 'seconds'> {
  readonly cells: readonly ReportCell[]
  readonly needsHelp: readonly number[]
  readonly wrong: readonly WrongAnswer[]
}

export interface Report {
  readonly levels: readonly ReportLevel[]
  readonly wrong: readonly WrongAnswer[]
  readonly pupils: readonly PupilReport[]
}

/** @param read in the order of `stored` @param gameId UUID @param start of the game, as for `happenedAt` */
export function pupilRead(read: readonly ReadStatement[], gameId: string, start: number | null): PupilRead {
  const said = saidIn(read)
  const played = playedBy(said, gameId, start)
  const wrong = new Map<string, WrongAnswer>()
  for (const { statement } of said) {
    if ((statement.object.objectType ?? 'Activity') !== 'Activity') continue
    const { right, response, name } = playOf(statement)?.choice ?? {}
    if (right !== false || response === undefined) continue
    const { id, definition } = statement.object as Activity
    const key = `${id}\n${response}`
    const one = wrong.get(key) ?? { activityId: id, question: '', response, answer: response, pupils: 1, times: 0 }
    wrong.set(key, one)
    if (definition?.name) one.question = JSON.stringify(definition.name)
    if (name) one.answer = name
    one.times++
  }
  return { played, result: resultOf(read, played, start), wrong: [...wrong.values()] }
}

export function reportOf(pupils: readonly PupilRead[]): Report {
  const begun = levelsBegun(pupils.map(({ played }) => played))
  const rows = pupils.map(({ played, result, wrong }) => {
    const own = begun.map(({ activityId }) => played.find((one) => one.activityId === activityId))
    const { passed, failed, completed, seconds } = result
    return {
      passed,
      failed,
      completed,
      seconds,
      cells: own.map(reportCell),
      needsHelp: own.flatMap((one, n) => (one && needsHelp(one) ? [n] : [])),
      wrong: commonest(wrong, wrongAnswers.ofPupil),
    }
  })
  const isDone = (end: TryEnd | undefined): boolean => end === 'passed' || end === 'completed'
  const levels = begun.map((level, n) => {
    const cells = rows.map(({ cells }) => cells[n]!)
    return {
      ...level,
      pupils: cells.filter(({ tries }) => tries > 0).length,
      done: cells.filter(({ done }) => done).length,
      doneFirst: cells.filter(({ first }) => isDone(first)).length,
      doneLast: cells.filter(({ last }) => isDone(last)).length,
      needHelp: rows.filter(({ needsHelp }) => needsHelp.includes(n)).length,
    }
  })
  return { levels, wrong: commonest(together(pupils), wrongAnswers.ofClass), pupils: rows }
}

const reportCell = (one: Played | undefined): ReportCell => {
  const [first, last] = [one?.attempts[0], one?.attempts.at(-1)]
  return {
    ...cellOf(one),
    ...(first && last && { first: endOf(first), last: endOf(last) }),
    firstScore: first?.score ?? undefined,
    lastScore: last?.score ?? undefined,
  }
}

const endOf = (attempt: Outcome): TryEnd =>
  attempt.success === false ? 'failed' : attempt.success ? 'passed' : does(attempt) ? 'completed' : 'open'

/** The wrong answers of all pupils. */
function together(pupils: readonly PupilRead[]): WrongAnswer[] {
  const all = new Map<string, WrongAnswer>()
  for (const own of pupils.flatMap(({ wrong }) => wrong)) {
    const key = `${own.activityId}\n${own.response}`
    const one = all.get(key)
    all.set(key, one ? { ...one, pupils: one.pupils + 1, times: one.times + own.times } : own)
  }
  return [...all.values()]
}

const commonest = (wrong: readonly WrongAnswer[], most: number): WrongAnswer[] =>
  wrong
    .toSorted((one, other) => other.pupils - one.pupils || other.times - one.times || inOrder(one, other))
    .slice(0, most)
const inOrder = (one: WrongAnswer, other: WrongAnswer): number =>
  one.activityId < other.activityId
    ? -1
    : one.activityId > other.activityId
      ? 1
      : one.response < other.response
        ? -1
        : 1
