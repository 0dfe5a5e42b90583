import { LessonResultService, TryEnd } from '../../../gen/lrs/v1/lesson_results_pb.js'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'
import { getBoard, getReport } from '../query/lesson-results.ts'

const ends = byName(TryEnd)

/** What pupils do in the lessons of a school. */
export const lessonResultService = service(LessonResultService, {
  getBoard: method({ right: 'observer', audit: reads }, byDeveloper(getBoard)),
  getReport: method(
    {
      right: 'observer',
      audit: {
        action: 'lesson.download-report',
        details: (_, done) => ({ class: done?.classId }),
        unless: ({ forFile }) => !forFile,
      },
    },
    async (core, request, context) => {
      const { pupils, ...report } = await getReport(core, await developer(core, context), request)
      return {
        ...report,
        pupils: pupils.map(({ cells, ...pupil }) => ({
          ...pupil,
          cells: cells.map((cell) => ({
            ...cell,
            first: cell.first && ends[cell.first],
            last: cell.last && ends[cell.last],
          })),
        })),
      }
    },
  ),
})
