import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { csvFile } from '../../../shared/csv.ts'
import { boardNow, boardPage, endLessonPage } from '../../pages/games/lessons/board.ts'
import { projectorNow, projectorPage } from '../../pages/games/lessons/projector.ts'
import { pupilSheets, reportLines, reportPage } from '../../pages/games/lessons/report.ts'
import { PageFailure } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Answer, type Portal, type SignedIn } from '../../web/visit.ts'

/** Lessons: the board, its view for a projector, and what came of them. */
export const lessons = (portal: Portal): Router =>
  routes(portal)
    .atSchool('GET /lessons/:id', async (visit) => {
      const [board, { games }] = await Promise.all([boardOf(visit), visit.core.games.listPublishedGames({})])
      return boardPage(visit, board, games)
    })
    .atSchool('GET /lessons/:id/now', async (visit) => boardNow(visit, await boardOf(visit)))
    .atSchool('GET /lessons/:id/projector', async (visit) => projectorPage(visit, await boardOf(visit)))
    .atSchool('GET /lessons/:id/projector/now', async (visit) => projectorNow(visit, await boardOf(visit)))
    .teacher('POST /lessons/:id/let-in', async (visit) => {
      await visit.core.lessons.letIn({ ...named(visit), seatIds: visit.form('seats').split(' ') })
      return pathOf(visit)
    })
    .teacher('POST /lessons/:id/turn-away', async (visit) => {
      await visit.core.lessons.turnAway({ ...named(visit), seatId: visit.form('seat') })
      return pathOf(visit)
    })
    .teacher('POST /lessons/:id/pause', async (visit) => {
      await visit.core.lessons.changeLesson({ ...named(visit), paused: visit.form('paused') === 'yes' })
      return pathOf(visit)
    })
    .teacher('POST /lessons/:id/game', async (visit) => {
      await visit.core.lessons.changeLesson({ ...named(visit), gameSlug: visit.form('game_slug') })
      return pathOf(visit)
    })
    .teacher('GET /lessons/:id/end', async (visit) => endLessonPage(visit, (await boardOf(visit)).lesson!))
    .teacher('POST /lessons/:id/end', async (visit) => {
      await visit.core.lessons.endLesson(named(visit))
      return `${pathOf(visit)}/report`
    })
    .atSchool('GET /lessons/:id/report', (visit) => showReport(visit, named(visit)))
    .atSchool('GET /lessons/:id/report.csv', (visit) => sendReport(visit, named(visit)))
    .atSchool('GET /classes/:class/report', (visit) => showReport(visit, ofClass(visit)))
    .atSchool('GET /classes/:class/report.csv', (visit) => sendReport(visit, ofClass(visit)))

const named = (visit: SignedIn) => ({ lessonId: uuid(visit) })
const pathOf = (visit: SignedIn): string => `/lessons/${uuid(visit)}`
const ofClass = (visit: SignedIn) => ({ classId: uuid(visit, 'class'), gameSlug: visit.query('game') })
type Of = ReturnType<typeof named> | ReturnType<typeof ofClass>

const boardOf = async (visit: SignedIn) => visit.core.lessonResults.getBoard(named(visit))

async function reportsOf({ core }: SignedIn, of: Of, forFile = false) {
  if ('classId' in of) return [await core.lessonResults.getReport({ ...of, forFile })]
  return (await core.lessonResults.getSittingReport({ ...of, forFile })).reports
}

async function showReport(visit: SignedIn, of: Of): Promise<Answer> {
  const reports = await reportsOf(visit, of)
  const addressOf = (page: '' | '.csv', pupil?: string): string => {
    const query = new URLSearchParams({
      ...('classId' in of && { game: reports[0]!.gameSlug }),
      ...(pupil !== undefined && { pupil }),
    }).toString()
    const path = 'classId' in of ? `/classes/${of.classId}` : pathOf(visit)
    return `${path}/report${page}${query && `?${query}`}`
  }
  const wanted = visit.query('pupil')
  const shown = { reports, addressOf }
  if (wanted === '') return reportPage(visit, shown)
  const pupils = reports[0]!.pupils.filter(({ pupilId }) => wanted === 'all' || pupilId === wanted)
  if (pupils.length === 0) throw new PageFailure(Reason.NOT_FOUND, visit.say.text('report.noPupil'))
  return pupilSheets(visit, shown, pupils)
}

async function sendReport(visit: SignedIn, of: Of): Promise<void> {
  const reports = await reportsOf(visit, of, true)
  const names = new Set(reports.map(({ gameName }) => gameName))
  const name = [reports[0]!.className, ...names].join(' ').replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  visit.response
    .set({ 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' })
    .attachment(`${name.slice(0, 150)}.csv`)
    .send(csvFile(reportLines(visit, reports)))
}
