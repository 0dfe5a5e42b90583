import { inTime, type Outcome } from '../../analytics/rules/attempts.ts'
import type { Played } from '../../analytics/rules/learner-levels.ts'
import { text, members, type Claims } from './lti-claims.ts'
import type { Grading } from './lti-message.ts'

const scope = 'https://purl.imsglobal.org/spec/lti-ags/scope/'
export const scopes = { lineItem: `${scope}lineitem`, score: `${scope}score` } as const

/** From 0 to 1; undefined: no result yet. */
export function scoreOf({ score, success, completed }: Pick<Outcome, 'score' | 'success' | 'completed'>) {
  if (score !== null) return Math.min(1, Math.max(0, score))
  if (success !== null) return Number(success)
  return completed ? 1 : undefined
}

/** The one of these scores that counts; undefined: there is none. @param scores in time */
export const graded = (grading: Grading, scores: readonly number[]): number | undefined =>
  scores.length > 0 && grading === 'best' ? Math.max(...scores) : scores.at(grading === 'first' ? 0 : -1)

/** The score of a session: of its tries at the level, or at the game as a whole, by the same rule. */
export const scoreOfSession = (
  played: readonly Played[],
  { level, grading }: { readonly level: string; readonly grading: Grading },
): number | undefined =>
  graded(
    grading,
    played
      .filter(({ activityId, wholeGame }) => (level === '' ? wholeGame : activityId === level))
      .flatMap(({ attempts }) => attempts)
      .toSorted((one, other) => inTime(one.steps[0]!, other.steps[0]!))
      .flatMap((tried) => scoreOf(tried) ?? []),
  )

interface Endpoints {
  /** Empty: it has to be found or made. */
  readonly lineItem: string
  readonly lineItems: string
  readonly scopes: readonly string[]
}

/** Whether the platform takes grades for a link. */
export const isTaken = ({ lineItem, lineItems, scopes: given }: Endpoints): boolean =>
  given.includes(scopes.score) && (lineItem !== '' || (lineItems !== '' && given.includes(scopes.lineItem)))

/** Where scores of a line item go. An address of a line item may have a query. */
export function scoresOf(lineItem: string): string {
  const url = new URL(lineItem)
  url.pathname += '/scores'
  return url.href
}

/** Where line items of a link are listed. */
export function itemsOf(lineItems: string, link: string): string {
  const url = new URL(lineItems)
  url.searchParams.set('resource_link_id', link)
  return url.href
}

/** The address of the line item of a link in an answer; empty: there is none. */
export function itemIn(answer: unknown, link: string): string {
  const found = [answer]
    .flat()
    .map((one): Claims => members(one))
    .find((one) => one['resourceLinkId'] === link)
  const address = text(found?.['id'])
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '') ? address : ''
}

/** What a score is for a platform. @param stamp when it was counted, with microseconds */
export const scoreMessage = (userId: string, score: number, stamp: string) => ({
  userId,
  scoreGiven: Math.round(score * 1e4) / 100,
  scoreMaximum: 100,
  activityProgress: 'Completed',
  gradingProgress: 'FullyGraded',
  timestamp: stamp,
})

/** A refusal that another try would get again. */
export const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 408, 409, 425, 429].includes(status)
