import { verbKey, type Key } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { attemptVerbs, within } from './attempts.ts'
import { levelsOf, playedBy, type Played, type Said } from './learner-levels.ts'
import { happenedAt } from './when.ts'

/** One statement of a learner, as the table of a class needs it. */
export interface LearnerStatement {
  /** Microseconds. */
  readonly stored: number
  /** null: it is only in the body. */
  readonly timestamp: string | null
  readonly registration: string | null
  /** Of statements that say something of an attempt; null: it was not read. */
  readonly body: string | null
  /** It says something of an attempt, and there was no room for it. */
  readonly cut: boolean
}

/** What a learner did in a game. */
export interface LearnerResult {
  /** Statements that were looked at. */
  readonly statements: number
  readonly attempts: number
  /** Levels with such an attempt. */
  readonly completed: number
  readonly passed: number
  /** Levels with a failed attempt and no passed one. */
  readonly failed: number
  /** Levels whose attempts were all abandoned. */
  readonly abandoned: number
  /** Of all attempts, those at the game itself included. */
  readonly bestScore?: number
  /** From the first to the last statement of each session. */
  readonly seconds: number
  /** When the last statement happened: seconds since 1970; 0: never. */
  readonly lastSeen: number
}

/** Keys of the verbs of attempts; every statement with `completion` belongs to one, too. */
export const attemptVerbKeys: readonly Key[] = attemptVerbs.map(verbKey)

/** The same, parsed. */
export interface ReadStatement extends Omit<LearnerStatement, 'body'> {
  readonly statement: Statement | undefined
}

export const parsed = (statements: readonly LearnerStatement[]): ReadStatement[] =>
  statements.map(({ body, ...row }) => ({ ...row, statement: body === null ? undefined : (parse(body) as Statement) }))

/** Those whose body was read. */
export const saidIn = (read: readonly ReadStatement[]): Said[] =>
  read.flatMap(({ stored, statement }) => (statement === undefined ? [] : [{ stored, statement }]))

/** @param statements in the order of `stored` @param gameId UUID @param start of the game, as for `happenedAt` */
export function learnerResult(
  statements: readonly LearnerStatement[],
  gameId: string,
  start: number | null,
): LearnerResult {
  const read = parsed(statements)
  return resultOf(read, playedBy(saidIn(read), gameId, start), start)
}

/** @param played in these statements */
export function resultOf(
  read: readonly ReadStatement[],
  played: readonly Played[],
  start: number | null,
): LearnerResult {
  const levels = levelsOf(played)
  const scores = played.flatMap(({ attempts }) => attempts.flatMap(({ score }) => score ?? []))
  const times = read.map(({ timestamp, stored, registration, statement }) => ({
    registration,
    at: happenedAt(statement?.timestamp ?? timestamp ?? undefined, stored, start),
  }))
  const sessions = Map.groupBy(times, ({ registration }) => registration)
  sessions.delete(null)
  const lengths = Array.from(sessions.values(), (of) => within(lengthOf(of.map(({ at }) => at))) ?? 0)
  return {
    statements: read.length,
    attempts: levels.reduce((sum, { attempts }) => sum + attempts, 0),
    completed: levels.filter(({ completed }) => completed > 0).length,
    passed: levels.filter(({ passed }) => passed > 0).length,
    failed: levels.filter(({ passed, failed }) => failed > 0 && passed === 0).length,
    abandoned: levels.filter(({ attempts, abandoned }) => abandoned === attempts).length,
    bestScore: scores.length > 0 ? Math.max(...scores) : undefined,
    seconds: Math.round(lengths.reduce((sum, length) => sum + length, 0) / 1000),
    lastSeen: Math.floor(Math.max(0, ...times.map(({ at }) => at)) / 1000),
  }
}

/** Milliseconds from the first to the last one. */
export const lengthOf = (times: readonly number[]): number => Math.max(...times) - Math.min(...times)
