import { deliveries, lti as limits, sessionResults } from '../../../shared/limits.ts'
import { playedBy } from '../../analytics/rules/learner-levels.ts'
import type { Core } from '../../context.ts'
import { pauseAfter, pauseAfterBreak } from '../../process/jobs/backoff.ts'
import { startLeasedWork } from '../../process/jobs/leased-work.ts'
import { isBrokenOff, OutgoingError } from '../../process/outgoing/outgoing-error.ts'
import type { OutgoingRequest, OutgoingResponse } from '../../process/outgoing/web-call.ts'
import { Refusal } from '../../process/refusal.ts'
import { excerpt } from '../../process/rules/text.ts'
import { learnerKeys } from '../../records/access/learner.ts'
import { outlines } from '../../records/query/outlines.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { signingKey } from '../command/lti-platforms.ts'
import { members } from '../rules/lti-claims.ts'
import {
  graded,
  isFinal,
  isTaken,
  itemIn,
  itemsOf,
  scopes,
  scoreMessage,
  scoreOfSession,
  scoresOf,
} from '../rules/lti-grade.ts'
import type { GradedAttempt, LeasedGrade } from '../store/lti-grades.ts'

/** The platform did not take what it was sent. */
class PlatformFailure extends Error {
  readonly status: number
  readonly retryAfter: string | undefined

  constructor(host: string, { status, headers, body, isPublic }: OutgoingResponse) {
    const text = isPublic
      ? excerpt(Buffer.from(body.subarray(0, 4 * limits.shownCharacters)).toString(), limits.shownCharacters)
      : ''
    // no token that it may repeat
    const said = text.replaceAll(/[\w.-]{30,}/g, '…')
    super(`${host} answered ${status}${said === '' ? '' : `: ${said}`}`)
    this.status = status
    this.retryAfter = headers['retry-after']
  }
}

/**
 * Looks at the attempts of pupils from learning platforms, and sends what has changed. The score that a platform is to
 * have is written down before it is sent, with a time that only grows: after a crash the same score is sent again, and an
 * older one never counts.
 */
export function startGrades(core: Core, everyMs: number): { stop(): Promise<void> } {
  const { store, jobs, log, fairQueue, work, config } = core
  const { ltiGrades } = store

  /**
   * What a session has reached; it is counted again only when statements came.
   * @param complete place in the order of statements before which none is under way
   */
  async function look(row: LeasedGrade, rule: string, attempt: GradedAttempt, complete: number) {
    const { game, gameId, registration, start, began } = attempt
    const of = { game, registration, actor: learnerKeys(attempt.learnerId, config).key }
    const since = (after: number) =>
      fairQueue.run(game, () => store.sessionStatements.ofSession({ ...of, began: after }, false))
    const isSame = row.rule === rule
    const kept = isSame ? attempt.score : null
    const known = isSame ? Math.max(attempt.through, began) : began
    const isNew = (await since(known)).length > 0
    if (!isNew) {
      if (complete - known > limits.gradeSeconds * 1e6) await ltiGrades.count(registration, kept, complete)
      return { score: kept, isNew }
    }
    const read = await since(began)
    const bodies = await outlines(work, game, read)
    const said = bodies.map(({ stored, body }) => ({ stored, statement: parse(body) as Statement }))
    const found = scoreOfSession(playedBy(said, gameId, start), row) ?? null
    // of a longer session only the end is read
    const isCut = said.length >= sessionResults.statements
    const score = isCut
      ? (graded(
          row.grading,
          [kept, found].filter((one) => one !== null),
        ) ?? null)
      : found
    await ltiGrades.count(registration, score, Math.min(read.at(-1)?.stored ?? known, complete))
    return { score, isNew }
  }

  /** The score that the platform is to have. */
  async function count(row: LeasedGrade) {
    const rule = `${row.grading} ${row.level}`
    const complete = await store.throughInReach()
    const attempts = await ltiGrades.attempts(row)
    const scores: number[] = []
    let news = false
    for (const [at, attempt] of attempts.entries()) {
      const isWatched = at >= attempts.length - limits.watchedAttempts
      const { score, isNew } = isWatched ? await look(row, rule, attempt, complete) : { ...attempt, isNew: false }
      if (score !== null) scores.push(score)
      news ||= isNew
    }
    const score = graded(row.grading, scores)
    const kept = await ltiGrades.want(row, score, rule, news)
    return kept && score !== undefined && score !== kept.sent && !kept.refused
      ? { score, stamp: kept.stamp }
      : undefined
  }

  /** @throws PlatformFailure, OutgoingError, Refusal */
  async function call(row: LeasedGrade, request: OutgoingRequest): Promise<unknown> {
    const answer = await core.ltiTokens.call(
      {
        platform: row,
        scopes: Object.values(scopes).filter((scope) => row.scopes.includes(scope)),
        key: () => signingKey(core, row.school),
        guardedFetch: core.deliveries.guardedFetch,
      },
      request,
    )
    if (answer.status < 200 || answer.status > 299)
      throw new PlatformFailure(URL.parse(request.url)?.host ?? '', answer)
    try {
      return JSON.parse(Buffer.from(answer.body).toString())
    } catch {
      return undefined
    }
  }

  const post = (row: LeasedGrade, url: string, kind: string, body: object) =>
    call(row, {
      url,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': `application/vnd.ims.lis.${kind}+json` },
      body: JSON.stringify(body),
    })

  /** The line item of the link, which is looked for before it is made; undefined: another core is at it. */
  async function itemOf(row: LeasedGrade): Promise<string | undefined> {
    const { link, resourceLink, lineItems, title } = row
    if (row.lineItem !== '') return row.lineItem
    if (!(await ltiGrades.startMaking(link))) return undefined
    let address = ''
    try {
      const accept = 'application/vnd.ims.lis.v2.lineitemcontainer+json'
      const url = itemsOf(lineItems, resourceLink)
      const wanted = { label: title || 'Game', scoreMaximum: 100, resourceLinkId: resourceLink }
      address = itemIn(await call(row, { url, headers: { accept } }), resourceLink)
      address ||= itemIn({ ...wanted, ...members(await post(row, lineItems, 'v2.lineitem', wanted)) }, resourceLink)
    } finally {
      await ltiGrades.made(link, address)
    }
    if (address === '') throw new Refusal('conflict', 'The platform names no line item.')
    return address
  }

  async function deliver(row: LeasedGrade, signal: AbortSignal): Promise<void> {
    const { failures, problem } = row
    try {
      const wanted = await count(row)
      if (!wanted || row.subject === '' || !isTaken(row)) return await ltiGrades.rest(row)
      signal.throwIfAborted()
      const item = await itemOf(row)
      if (item === undefined) return await ltiGrades.putOff(row, { problem, failures, pause: deliveries.firstPause })
      await post(row, scoresOf(item), 'v1.score', scoreMessage(row.subject, wanted.score, wanted.stamp))
      await ltiGrades.sent(row, wanted.score)
    } catch (error) {
      if (signal.aborted) return
      await failed(row, error)
    }
  }

  async function failed(row: LeasedGrade, error: unknown): Promise<void> {
    const { failures, problem } = row
    const isOfPlatform = error instanceof PlatformFailure || (error instanceof Refusal && error.reason === 'conflict')
    if (error instanceof PlatformFailure && isFinal(error.status)) return ltiGrades.refuse(row, error.message)
    if (!isOfPlatform && !(error instanceof OutgoingError && !isBrokenOff(error))) {
      if (!(error instanceof Refusal)) throw error
      // a busy moment here says nothing of the platform
      return ltiGrades.putOff(row, { problem, failures, pause: pauseAfterBreak() })
    }
    // the answer of a platform may name a pupil
    const why = error instanceof PlatformFailure ? error.status : error.message
    log.info({ grade: row.id, why }, 'a grade could not be sent')
    const isUnanswered = error instanceof OutgoingError
    await ltiGrades.putOff(row, {
      problem: isUnanswered ? error.told : error.message,
      failures: failures + 1,
      pause: pauseAfter(failures + 1, error instanceof PlatformFailure ? error.retryAfter : undefined, {
        longest: isUnanswered ? deliveries.longestUnanswered : deliveries.longestPause,
      }),
      newer: error instanceof PlatformFailure && error.status === 409,
    })
  }

  return startLeasedWork<LeasedGrade>(
    { name: 'grades', ...ltiGrades, owner: ({ owner }) => owner, host: ({ host }) => host, deliver },
    { everyMs, jobs, log },
  )
}
