import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { sessionResults } from '../../../shared/limits.ts'
import { levelsOf, secondsOf, verbName, type LearnerLevel } from './learner-levels.ts'

/** A statement of a session that is not voided. */
export interface SessionStatement {
  /** Seconds since it was stored. */
  readonly ago: number
  readonly body: string
}

type Score = { readonly scaled?: number; readonly raw?: number; readonly max?: number }

/** What a learner reached in one session. */
export interface SessionResult {
  readonly statements: number
  /** Whether the game says that it has ended; empty: it does not. */
  readonly ended: '' | 'completed' | 'terminated'
  /** Seconds since the statement that says so. */
  readonly endedAgo: number
  /** Of the game as a whole: what was reported last. */
  readonly score?: Score
  readonly success?: boolean
  readonly completion?: boolean
  readonly seconds: number
  /** What is below the game, the last played first. */
  readonly levels: readonly LearnerLevel[]
}

const reached: Readonly<Record<string, { success?: boolean; completion?: boolean }>> = {
  completed: { completion: true },
  passed: { success: true },
  mastered: { success: true },
  failed: { success: false },
}

/**
 * The game has terminated only if no statement follows: a game that is loaded again may say `terminated`, and then
 * `initialized`.
 * @param statements the oldest first @param game IRI of the game as an activity
 */
export function sessionResult(statements: readonly SessionStatement[], game: string): SessionResult {
  const result: { -readonly [Name in keyof SessionResult]?: SessionResult[Name] } = {}
  let told = 0
  let ended: Pick<SessionResult, 'ended' | 'endedAgo'> = { ended: '', endedAgo: 0 }
  const said = statements.map(({ ago, body }) => ({ ago, ...(parse(body) as Statement) }))
  for (const [n, { ago, verb, object, result: reported }] of said.entries()) {
    if (!('id' in object) || object.id !== game || (object.objectType ?? 'Activity') !== 'Activity') continue
    const name = verbName(verb.id)
    Object.assign(result, reached[name])
    if (reported?.score) result.score = finite(reported.score)
    if (reported?.success !== undefined) result.success = reported.success
    if (reported?.completion !== undefined) result.completion = reported.completion
    told = secondsOf(reported?.duration) || told
    if (name === 'completed') ended = { ended: 'completed', endedAgo: ago }
    if (name === 'terminated' && n === said.length - 1) ended = { ended: 'terminated', endedAgo: ago }
  }
  const times = said.map(({ timestamp }) => Date.parse(timestamp ?? '')).filter((time) => !Number.isNaN(time))
  const lasted = times.length > 0 ? (Math.max(...times) - Math.min(...times)) / 1000 : 0
  return {
    ...result,
    ...ended,
    statements: said.length,
    seconds: told || lasted,
    levels: levelsOf(statements.map(({ body }) => ({ stored: 0, voided: false, body })))
      .filter(({ activityId }) => activityId !== game)
      .slice(0, sessionResults.levels),
  }
}

/** Without what is no number to show: JSON may have 1e400, which is infinite. */
function finite({ scaled, raw, max }: Score): Score {
  const known = Object.entries({ scaled, raw, max }).filter(([, value]) => Number.isFinite(value))
  return Object.fromEntries(known)
}
