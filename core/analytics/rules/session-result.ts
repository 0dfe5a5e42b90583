import { parse } from '../../records/xapi/json.ts'
import type { Score, Statement } from '../../records/xapi/types.ts'
import { sessionResults } from '../../../shared/limits.ts'
import { inTime, isAbandoned, marks, within } from './attempts.ts'
import { levelsOf, playedBy, type LearnerLevel } from './learner-levels.ts'
import { lengthOf } from './learner-result.ts'
import { happenedAt } from './when.ts'

/** A statement of a session that is not voided. */
export interface SessionStatement {
  /** Microseconds. */
  readonly stored: number
  /** Seconds since then. */
  readonly ago: number
  readonly body: string
}

/** What a learner reached in one session. */
export interface SessionResult {
  readonly statements: number
  /** Whether the game says that it has ended; empty: it does not. */
  readonly ended: '' | 'completed' | 'terminated'
  /** Seconds since the statement that says so. */
  readonly endedAgo: number
  /** Of the last attempt at the game as a whole that was not abandoned. */
  readonly score?: Pick<Score, 'scaled' | 'raw' | 'max'>
  readonly success?: boolean
  readonly completion?: boolean
  readonly seconds: number
  /** What is below the game, the last played first. */
  readonly levels: readonly LearnerLevel[]
}

/**
 * The game has terminated only if no statement arrives after that: a game that is loaded again may say `terminated`, and
 * then `initialized`.
 * @param statements in the order of `stored` @param gameId UUID @param start of the game, as for `happenedAt`
 */
export function sessionResult(
  statements: readonly SessionStatement[],
  gameId: string,
  start: number | null,
): SessionResult {
  const said = statements.map((one) => ({ ...one, statement: parse(one.body) as Statement }))
  const played = playedBy(said, gameId, start)
  const attempts = played
    .filter(({ wholeGame }) => wholeGame)
    .flatMap((of) => of.attempts)
    .toSorted((one, other) => inTime(one.steps[0]!, other.steps[0]!))
  const attempt = attempts.findLast((one) => !isAbandoned(one)) ?? attempts.at(-1)
  const steps = attempts.flatMap((of) => of.steps).toSorted((one, other) => one.stored - other.stored)
  const [completed, left] = [marks.completed, marks.left].map((mark) => steps.findLast((step) => step.mark === mark))
  const isOver = left !== undefined && left.stored === said.at(-1)!.stored
  const end = isOver ? left : completed
  const reported = new Map(said.map(({ stored, statement }) => [stored, statement.result?.score]))
  const times = said.map(({ stored, statement }) => happenedAt(statement.timestamp, stored, start))
  const lasted = times.length > 0 ? (within(lengthOf(times)) ?? 0) : 0
  return {
    statements: said.length,
    ended: end === undefined ? '' : isOver ? 'terminated' : 'completed',
    endedAgo: said.find(({ stored }) => stored === end?.stored)?.ago ?? 0,
    score: finite(attempt?.steps.map(({ stored }) => reported.get(stored)).findLast((score) => score !== undefined)),
    success: attempt?.success ?? undefined,
    completion: attempt?.steps.findLast((step) => step.completed !== undefined)?.completed,
    seconds: (attempt?.millis ?? lasted) / 1000,
    levels: levelsOf(played).slice(0, sessionResults.levels),
  }
}

/** Without what is no number to show: JSON may have 1e400, which is infinite. */
function finite(score: Score | undefined): SessionResult['score'] {
  if (score === undefined) return undefined
  const { scaled, raw, max } = score
  return Object.fromEntries(Object.entries({ scaled, raw, max }).filter(([, value]) => Number.isFinite(value)))
}
