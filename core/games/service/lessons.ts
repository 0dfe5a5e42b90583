import { LessonService, SeatState } from '../../../gen/lrs/v1/lessons_pb.js'
import type { Core } from '../../context.ts'
import { reads, session } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { hashSecret } from '../../process/secret.ts'
import { changeLesson, endLesson, letIn, openLesson, turnAway } from '../command/lessons.ts'
import { joinByCard, joinLesson, leaveSeat, nameSeat, startSeat } from '../command/seats.ts'
import type { Seat } from '../store/seats.ts'
import { listLessons } from '../query/school-classes.ts'
import { messageOf } from './launches.ts'

const ofLesson = (action: string) => ({
  action,
  details: ({ lessonId }: { lessonId: string }) => ({ lesson: lessonId }),
})

/** Lessons of the classes of a school, and the seats of their pupils. */
export const lessonService = service(LessonService, {
  openLesson: method(
    {
      right: 'teacher',
      audit: {
        action: 'lesson.open',
        details: ({ classId }, done) => ({ class: classId, lesson: done?.lesson?.lessonId }),
      },
    },
    byDeveloper(openLesson),
  ),
  listLessons: method({ right: 'observer', audit: reads }, async (core, { classId }, context) => ({
    lessons: await listLessons(core.store, await developer(core, context), classId),
  })),
  changeLesson: method({ right: 'teacher', audit: ofLesson('lesson.change') }, byDeveloper(changeLesson)),
  letIn: method({ right: 'teacher', audit: ofLesson('lesson.let-in') }, byDeveloper(letIn)),
  turnAway: method({ right: 'teacher', audit: ofLesson('lesson.turn-away') }, byDeveloper(turnAway)),
  endLesson: method({ right: 'teacher', audit: ofLesson('lesson.end') }, byDeveloper(endLesson)),
  joinLesson: method({ right: 'public', audit: session }, joinLesson),
  joinByCard: method({ right: 'public', audit: session }, joinByCard),
  getSeat: method({ right: 'public', audit: reads }, getSeat),
  nameSeat: method({ right: 'public', audit: session }, nameSeat),
  startSeat: method({ right: 'public', audit: session }, async (core, request) => {
    const { launch, gameSlug } = await startSeat(core, request)
    return { launch: messageOf(launch), gameSlug }
  }),
  leaveSeat: method({ right: 'public', audit: session }, leaveSeat),
})

async function getSeat({ store }: Core, { seatToken, isOpen }: { seatToken: string; isOpen: boolean }) {
  const seat = await store.seats.get(hashSecret(seatToken), isOpen)
  if (!seat) return { state: SeatState.UNSPECIFIED }
  const { sign, isLeft, gameSlug, gameName, paused, pupilName } = seat
  const state = stateOf(seat)
  // a seat that waits sees nothing of the lesson
  return state === SeatState.WAITING
    ? { state, sign, isLeft }
    : { state, sign, isLeft, gameSlug, gameName, paused, name: pupilName ?? '' }
}

const stateOf = ({ isIn, pupil }: Seat): SeatState =>
  !isIn ? SeatState.WAITING : pupil === null ? SeatState.LET_IN : SeatState.NAMED
