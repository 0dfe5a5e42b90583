import { lessons as limits } from '../../../shared/limits.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { noClass } from '../access/launch.ts'
import { newLessonCode } from '../rules/lesson-codes.ts'
import type { Lesson } from '../store/lessons.ts'

type Stored = Pick<Core, 'store'>
type OfLesson = { readonly lessonId: string }

/** Opens a lesson of a class with a game, in place of the open one. @throws Refusal */
export async function openLesson(
  { store, tokens }: Pick<Core, 'store' | 'tokens'>,
  { studio: school, account, accountId }: Developer,
  { senderIp, ...wanted }: { classId: string; gameSlug: string; newcomers: boolean; senderIp: string },
): Promise<{ lesson: Lesson }> {
  const network = tokens.networkOf(senderIp)
  await store.portalLimits.require('openLesson', accountId)
  const lesson = await store.lessons.open(school, { ...wanted, teacher: account, network }, newLessonCode)
  switch (lesson) {
    case 'no-class':
      throw noClass()
    case 'no-game':
      throw noGame()
    case 'full':
      throw new Refusal(
        'quota-exceeded',
        `The school has ${limits.ofSchool} open lessons, as many as it may have: end some of them first.`,
      )
  }
  return { lesson }
}

/** Changes the game, or pauses all games, or ends the pause. @throws Refusal */
export async function changeLesson(
  { store }: Stored,
  { studio: school, accountId }: Developer,
  { lessonId, gameSlug, paused }: OfLesson & { readonly gameSlug: string; readonly paused?: boolean | undefined },
): Promise<void> {
  if (gameSlug !== '') await store.portalLimits.require('openLesson', accountId)
  if (found(await store.lessons.change(school, lessonId, { gameSlug, paused })) === 'no-game') throw noGame()
}

/** Lets in seats that wait: the named ones, or all that are not elsewhere. @throws Problem, Refusal */
export async function letIn(
  { store }: Stored,
  { studio: school }: Developer,
  { lessonId, seatIds }: OfLesson & { readonly seatIds: readonly string[] },
): Promise<{ seats: number }> {
  const ids = seatIds.length === 0 ? undefined : seatIds.map((id) => uuidParameter(id, 'seat_ids')!)
  const seats = await store.lessons.within(school, lessonId, (run) => store.seats.letIn(run, lessonId, ids))
  return { seats: found(seats) }
}

/** Ends a seat with its session. @throws Refusal */
export async function turnAway(
  { store }: Stored,
  { studio: school }: Developer,
  { lessonId, seatId }: OfLesson & { readonly seatId: string },
): Promise<void> {
  found(
    (await store.lessons.within(school, lessonId, (run) => store.seats.turnAway(run, lessonId, seatId))) || undefined,
  )
}

/** Ends a lesson with its seats and their sessions. @throws Refusal */
export async function endLesson(
  { store }: Stored,
  { studio: school }: Developer,
  { lessonId }: OfLesson,
): Promise<void> {
  found(await store.lessons.end(school, lessonId))
}

/** @throws Refusal when the school has no such open lesson */
function found<Found>(one: Found | undefined): Found {
  if (one === undefined) throw new Refusal('not-found', 'There is no such lesson, or it has ended.')
  return one
}

export const noGame = () => new Refusal('not-found', 'There is no such game, or it cannot be played now.')
