import { setImmediate } from 'node:timers/promises'
import { boards, reportResults } from '../../../shared/limits.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { boardOf } from '../../analytics/rules/board.ts'
import { answerVerbKeys, pupilRead, reportOf, type PupilRead } from '../../analytics/rules/class-report.ts'
import { attemptVerbKeys, parsed } from '../../analytics/rules/learner-result.ts'
import type { Core } from '../../context.ts'
import { learnerKeys } from '../../records/access/learner.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { Refusal } from '../../process/refusal.ts'
import { seenBy, withoutCode } from './school-classes.ts'

/** @throws Refusal 'not-found', also for what another school has */
function found<Found>(one: Found | undefined): Found {
  if (one !== undefined) return one
  throw new Refusal('not-found', 'Your school has no such lesson or class, or the class has not played this game.')
}

type Needs = Pick<Core, 'store' | 'config' | 'fairQueue' | 'boards'>

/** A lesson, the seats that wait, and what its pupils do now. @throws Refusal */
export async function getBoard(core: Needs, who: Developer, { lessonId }: { lessonId: string }) {
  const read = found(await core.store.lessonResults.board(who.studio, lessonId))
  const pupils = seenBy(who, read.pupils)
  const keys = pupils.map(({ learner }) => learner && learnerKeys(learner, core.config).key)
  const played = await core.boards(
    core,
    lessonId,
    read,
    keys.filter((key) => key !== null),
  )
  const rows = pupils.map(({ seen }, n) => {
    const own = played.get(keys[n] ?? '')
    const heard = Math.max(seen ?? 0, own && own.after > read.after ? own.after : 0)
    return { played: own?.played ?? [], here: read.ended === 0 && read.now - heard < boards.hereSeconds * 1e6 }
  })
  const board = boardOf(rows, read.now)
  return {
    lesson: withoutCode(who, read),
    waiting: read.waiting,
    levels: board.levels,
    pupils: pupils.map(({ pupilId, name, alias, seatId }, n) => ({
      pupilId,
      name,
      alias,
      seatId,
      here: rows[n]!.here,
      ...board.rows[n]!,
    })),
  }
}

/** Of a lesson, or of a class in a game. */
export interface ReportWanted {
  readonly classId: string
  readonly lessonId: string
  readonly gameSlug: string
}

/** Learners that one query reads: their statements are parsed together. */
const atOnce = 5
const verbs = [...attemptVerbKeys, ...answerVerbKeys]

/** What the pupils of a class did. @throws Refusal */
export async function getReport({ store, config, fairQueue }: Needs, who: Developer, wanted: ReportWanted) {
  const { lessonId, classId, gameSlug } = wanted
  const [ofClass, ofLesson] = [classId, lessonId].map((id) => (isUuid(id) ? id : null))
  const scope = found(await store.lessonResults.report(who.studio, ofClass!, ofLesson!, gameSlug))
  const { game, gameId, start, after, until } = scope
  const pupils = seenBy(who, scope.pupils)
  const read: (PupilRead & { more: boolean })[] = []
  for (let at = 0; at < pupils.length; at += atOnce) {
    const some = pupils.slice(at, at + atOnce)
    const known = some.flatMap(({ learner }) =>
      learner === null ? [] : [{ actor: learnerKeys(learner, config).key, after }],
    )
    const asked = { until: until ?? undefined, verbs, forReport: true }
    const rows = await fairQueue.run(game, () => store.learnerResults.newest(game, known, asked))
    for (const { learner } of some) {
      const statements = learner === null ? [] : rows.shift()!
      const more = statements.length >= reportResults.statements || statements.some(({ cut }) => cut)
      read.push({ ...pupilRead(parsed(statements), gameId, start), more })
      await setImmediate()
    }
  }
  const report = reportOf(read)
  return {
    ...scope,
    ...report,
    pupils: pupils.map(({ pupilId, name }, n) => ({ pupilId, name, ...report.pupils[n]!, more: read[n]!.more })),
  }
}

/** The reports of all lessons that follow each other without a gap: one for each game. @throws Refusal */
export async function getSittingReport(core: Needs, who: Developer, { lessonId }: { readonly lessonId: string }) {
  const lessons = await core.store.lessonResults.sitting(who.studio, lessonId)
  found(lessons[0])
  const reports: Awaited<ReturnType<typeof getReport>>[] = []
  for (const one of lessons) reports.push(await getReport(core, who, { lessonId: one, classId: '', gameSlug: '' }))
  return reports
}
