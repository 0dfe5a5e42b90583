import type { Router } from 'express'
import { Reason, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { SeatState, type GetSeatResponse } from '../../../gen/lrs/v1/lessons_pb.js'
import { endPage } from '../../pages/games/play/end.ts'
import { cardPage, joinPage, namePage, readyPage, waitPage } from '../../pages/games/play/join.ts'
import { lessonWays } from '../../pages/games/play/ways.ts'
import { toLearner } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { notice, refused, type Answer, type Portal, type Visit } from '../../web/visit.ts'
import { ifFound } from '../parts/launch.ts'
import { dropSessions, keepLearner, readLearner } from '../parts/learner-cookie.ts'
import { gameOf, isHttps } from '../parts/player.ts'
import { forgetSeat, keepSeat, readSeat } from '../parts/seat-cookie.ts'
import { resultOf } from './session-results.ts'

/** How children come into a lesson: by its code or by a card, and from there into its game. */
export const join = (portal: Portal): Router =>
  routes(portal)
    .page('GET /join', async (visit) => {
      const code = visit.query('code').slice(0, 200)
      // links of members, as they were before
      if (code.length > 20) return `/members/join?code=${encodeURIComponent(code)}`
      const seatToken = readSeat(visit)
      if (seatToken !== '') {
        const { state, isLeft } = await visit.core.lessons.getSeat({ seatToken })
        if (state !== SeatState.UNSPECIFIED && !isLeft) return '/join/wait'
        await leave(visit)
      }
      const { say } = visit
      return joinPage(
        visit,
        { values: visit.query },
        notice(visit, { left: say.text('join.left'), over: say.text('join.over') }),
      )
    })
    .page(
      'POST /join',
      async (visit) => {
        const code = visit.form('code').slice(0, 100)
        // a card has letters, the code of a lesson has none
        if (/\p{L}/u.test(code)) return byCard(visit, code)
        const { seatToken } = await visit.core.lessons.joinLesson({ code, senderIp: visit.senderIp })
        return takeSeat(visit, seatToken)
      },
      (visit, { failure, values }) => joinPage(visit, { failure: toChild(visit, failure), values }),
    )
    .page('GET /c/:code', (visit) => cardPage(visit, cardOf(visit)))
    .page(
      'POST /c/:code',
      (visit) => byCard(visit, cardOf(visit)),
      (visit, { failure }) => cardPage(visit, cardOf(visit), toChild(visit, failure)),
    )
    .page('GET /join/wait', async (visit) => {
      const seat = await seatOf(visit)
      if (seat.state === SeatState.WAITING) return waitPage(visit, seat)
      if (seat.state === SeatState.LET_IN) return namePage(visit, {})
      return seat.state === SeatState.NAMED ? readyPage(visit, seat) : over(visit)
    })
    .page('GET /join/seat.json', async (visit) => {
      const { state, gameSlug, paused } = await seatOf(visit)
      visit.response.json({ at: places[state], game: gameSlug, paused })
    })
    // where the page of a refused name leads when its language is changed
    .page('GET /join/name', () => '/join/wait')
    .page('POST /join/name', async (visit) => {
      const { core, form } = visit
      const seatToken = readSeat(visit)
      const picture = /^\d{1,2}$/.test(form('picture')) ? Number(form('picture')) : 99
      try {
        await core.lessons.nameSeat({ seatToken, name: form('name').slice(0, 1_000), picture })
      } catch (error) {
        const failure = toChild(visit, refused(visit, error))
        const { state } = await seatOf(visit)
        return state === SeatState.LET_IN ? namePage(visit, { failure, values: form }) : '/join/wait'
      }
      return start(visit, seatToken)
    })
    .page('POST /join/play', (visit) => start(visit, readSeat(visit)))
    .page('POST /join/result', () => '/join/result')
    .page('GET /join/result', async (visit) => {
      const { state, gameSlug, name } = await seatOf(visit)
      if (state !== SeatState.NAMED) return '/join/wait'
      const game = await gameOf(visit, gameSlug)
      const { sessionSecret } = readLearner(visit.request, gameSlug, isHttps(visit))
      const result = await resultOf(visit, game, sessionSecret)
      return result
        ? endPage(visit, game, { result, pupil: name, known: undefined, ways: lessonWays(gameSlug) })
        : '/join/wait'
    })
    .page('POST /join/leave', async (visit) => {
      await leave(visit)
      return '/join?done=left'
    })
    // the page of the seat was closed or left; the next one of the seat says that it goes on
    .page('POST /join/closed', async (visit) => {
      await visit.core.lessons.leaveSeat({ seatToken: readSeat(visit), soon: true })
      visit.response.status(204).end()
    })

/** Reasons with a text of their own here: no lesson is open for a card, and a class is full. */
const ownTexts: Partial<Record<Reason, string>> = { [Reason.NOT_FOUND]: 'card', [Reason.QUOTA_EXCEEDED]: 'full' }
const toChild = ({ say }: Visit, failure: Failure): Failure =>
  toLearner(say, { ...failure, path: ownTexts[failure.reason] ?? failure.path })

const places: Readonly<Record<SeatState, string>> = {
  [SeatState.UNSPECIFIED]: 'over',
  [SeatState.WAITING]: 'waiting',
  [SeatState.LET_IN]: 'in',
  [SeatState.NAMED]: 'named',
}

const cardOf = ({ request }: Visit): string => String(request.params['code']).slice(0, 100)

/** The seat of this browser, whose page is open. */
export const seatOf = (visit: Visit): Promise<GetSeatResponse> =>
  visit.core.lessons.getSeat({ seatToken: readSeat(visit), isOpen: true })

/** The seat has ended: nothing of it stays in this browser. */
export function over(visit: Visit): string {
  dropSessions(visit, isHttps(visit))
  forgetSeat(visit)
  return '/join?done=over'
}

/** Ends the seat; nothing of it stays in this browser. */
export async function leave(visit: Visit): Promise<void> {
  await visit.core.lessons.leaveSeat({ seatToken: readSeat(visit) })
  over(visit)
}

/** Keeps a new seat, in place of the one before. */
async function takeSeat(visit: Visit, seatToken: string): Promise<string> {
  if (readSeat(visit) !== '') await leave(visit)
  keepSeat(visit, seatToken)
  return '/join/wait'
}

async function byCard(visit: Visit, code: string): Promise<Answer> {
  const { seatToken } = await visit.core.lessons.joinByCard({ code, senderIp: visit.senderIp })
  await takeSeat(visit, seatToken)
  return start(visit, seatToken)
}

/** Straight to the game. */
async function start(visit: Visit, seatToken: string): Promise<Answer> {
  dropSessions(visit, isHttps(visit))
  const started = await ifFound(visit.core.lessons.startSeat({ seatToken }))
  // the seat has ended, or the game cannot be played now
  if (!started) return '/join/wait'
  const { launch, gameSlug } = started
  const before = readLearner(visit.request, gameSlug, isHttps(visit))
  keepLearner(visit, gameSlug, isHttps(visit), {
    ...before,
    startedBy: 'other',
    sessionSecret: launch!.sessionSecret,
  })
  return `/play/${gameSlug}/game`
}
