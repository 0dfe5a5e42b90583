import { LessonResultService, TryEnd } from '../../../gen/lrs/v1/lesson_results_pb.js'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'
import { getBoard, getReport, getSittingReport } from '../query/lesson-results.ts'

const ends = byName(TryEnd)

const told = ({ pupils, ...report }: Awaited<ReturnType<typeof getReport>>) => ({
  ...report,
  pupils: pupils.map(({ cells, ...pupil }) => ({
    ...pupil,
    cells: cells.map((cell) => ({
      ...cell,
      first: cell.first && ends[cell.first],
      last: cell.last && ends[cell.last],
    })),
  })),
})

const download = { action: 'lesson.download-report', unless: ({ forFile }: { forFile: boolean }) => !forFile } as const

/** What pupils do in the lessons of a school. */
export const lessonResultService = service(LessonResultService, {
  getBoard: method({ right: 'observer', audit: reads }, byDeveloper(getBoard)),
  getReport: method(
    { right: 'observer', audit: { ...download, details: (_, done) => ({ class: done?.classId }) } },
    async (core, request, context) => told(await getReport(core, await developer(core, context), request)),
  ),
  getSittingReport: method(
    { right: 'observer', audit: { ...download, details: (_, done) => ({ class: done?.reports[0]?.classId }) } },
    async (core, request, context) => ({
      reports: (await getSittingReport(core, await developer(core, context), request)).map(told),
    }),
  ),
})
