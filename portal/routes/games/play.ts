import type { Router } from 'express'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { SeatState } from '../../../gen/lrs/v1/lessons_pb.js'
import { ifFound, sendLaunch } from '../parts/launch.ts'
import {
  codeOf,
  forgetEnded,
  forgetLearner,
  isProven,
  keepEnded,
  keepLearner,
  nobody,
  provenNow,
  readEnded,
  type Remembered,
} from '../parts/learner-cookie.ts'
import { endPage } from '../../pages/games/play/end.ts'
import { entrancePage, gamePlayPage, type Entrance } from '../../pages/games/play/play.ts'
import { gameOf, isHttps, learnerOf, slugOf } from '../parts/player.ts'
import { readSeat } from '../parts/seat-cookie.ts'
import { lessonWays } from '../../pages/games/play/ways.ts'
import { leave, over, seatOf } from './join.ts'
import { resultOf, tellResult } from './session-results.ts'
import { routes } from '../../web/routes.ts'
import { notice, refusedLearner, type Portal, type Visit } from '../../web/visit.ts'

/** The hosting player: learners start sessions of published games by a name or an invitation. */
export const play = (portal: Portal): Router =>
  routes(portal)
    .page('GET /play/:slug', async (visit) => {
      // the next learner at this computer must not see it
      forgetEnded(visit.request, visit.response, slugOf(visit), isHttps(visit))
      const done = notice(visit, { left: visit.say.text('end.left') })
      return entrancePage(visit, await gameOf(visit), { ...(await entranceOf(visit, visit.query('invitation'))), done })
    })
    .page('POST /play/:slug', async (visit) => {
      const { form, senderIp } = visit
      const slug = slugOf(visit)
      const isBack = form('as') === 'before'
      const before = learnerOf(visit)
      try {
        // the next person at this computer: the place in a lesson is that of the one before
        if (readSeat(visit) !== '') await leave(visit)
        const { launch, learnerToken } = await visit.core.launches.startPlay({
          slug,
          senderIp,
          invitation: form('invitation'),
          learnerName: form('learner_name'),
          learnerToken: isBack ? before.learnerToken : '',
          consent: form('consent'),
        })
        const { sessionSecret, learnerName } = launch!
        // ends the session of the learner before
        if (before.sessionSecret !== '') await visit.core.launches.endLaunch({ sessionSecret: before.sessionSecret })
        // only learners who asked are remembered
        const learner: Remembered = isBack
          ? { ...before, learnerToken, learnerName, startedBy: 'yes' }
          : form('remember') !== ''
            ? { ...nobody, learnerToken, learnerName, startedBy: 'name' }
            : { ...before, startedBy: 'other' }
        keepLearner(visit, slug, isHttps(visit), { ...learner, sessionSecret })
        forgetEnded(visit.request, visit.response, slug, isHttps(visit))
        return `/play/${slug}/game`
      } catch (error) {
        const failure = refusedLearner(visit, error)
        if (isBack && failure.path === 'learner_name') forgetLearner(visit.response, slug, isHttps(visit))
        return entrancePage(visit, await gameOf(visit), {
          ...(await entranceOf(visit, form('invitation'), isBack)),
          failure,
          values: form,
        })
      }
    })
    .page('GET /play/:slug/game', async (visit) => {
      const seat = readSeat(visit) === '' ? undefined : await seatOf(visit)
      if (seat?.state === SeatState.UNSPECIFIED) return over(visit)
      const game = await gameOf(visit)
      const launch = await launchOf(visit, game)
      if (seat?.state !== SeatState.NAMED) return launch ? gamePlayPage(visit, game, launch) : `/play/${slugOf(visit)}`
      if (!launch || seat.gameSlug !== slugOf(visit)) return '/join/wait'
      return gamePlayPage(visit, game, launch, lessonWays(slugOf(visit)), seat.name)
    })
    .page('GET /play/:slug/launch.json', async (visit) => sendLaunch(visit, await launchOf(visit, await gameOf(visit))))
    .page('POST /play/:slug/end', async (visit) => {
      const slug = slugOf(visit)
      const before = learnerOf(visit)
      const { sessionSecret } = before
      if (sessionSecret !== '') await visit.core.launches.endLaunch({ sessionSecret })
      const proven = before.startedBy === 'name' && sessionSecret !== '' ? provenNow() : before.proven
      keepLearner(visit, slug, isHttps(visit), { ...before, sessionSecret: '', proven })
      keepEnded(visit.response, slug, isHttps(visit), sessionSecret)
      return `/play/${slug}/end`
    })
    .page('POST /play/:slug/forget', async (visit) => {
      const slug = slugOf(visit)
      const before = learnerOf(visit)
      if (before.startedBy !== 'other' && before.sessionSecret !== '')
        await visit.core.launches.endLaunch({ sessionSecret: before.sessionSecret })
      keepLearner(visit, slug, isHttps(visit), {
        ...nobody,
        // the session of a forgotten learner ends, so that nobody sees its data
        sessionSecret: before.startedBy === 'other' ? before.sessionSecret : '',
      })
      return `/play/${slug}`
    })
    .page('GET /play/:slug/end', async (visit) => {
      const game = await gameOf(visit)
      const result = await resultOf(visit, game, readEnded(visit.request, slugOf(visit), isHttps(visit)))
      const learner = learnerOf(visit)
      const code = learner.learnerToken !== '' && isProven(learner) ? codeOf(learner.learnerToken) : undefined
      return endPage(visit, game, { result, known: rememberedBy(visit), code })
    })
    .page('POST /play/:slug/result', (visit) => tellResult(visit, learnerOf(visit).sessionSecret))

/** Name of the learner whom this browser remembers; undefined: none. */
function rememberedBy(visit: Visit): string | undefined {
  const { learnerToken, learnerName } = learnerOf(visit)
  return learnerToken === '' ? undefined : learnerName
}

/** The launch of this browser's session of the game; undefined: it has none, or it has ended. */
const launchOf = (visit: Visit, game: GetPublishedGameResponse): Promise<Launch | undefined> =>
  launchBy(visit, game, learnerOf(visit).sessionSecret)

/** The launch of the session with this secret; undefined: it is none of the game, or it has ended. */
export async function launchBy(
  visit: Visit,
  { game }: GetPublishedGameResponse,
  sessionSecret: string,
): Promise<Launch | undefined> {
  if (sessionSecret === '') return undefined
  const launch = (await ifFound(visit.core.launches.getLaunch({ sessionSecret })))?.launch
  return launch?.gameId === game?.gameId && !launch?.sandbox ? launch : undefined
}

/** @param isForgotten the browser forgets the learner whom it remembered */
async function entranceOf(visit: Visit, code: string, isForgotten = false): Promise<Entrance> {
  const slug = slugOf(visit)
  if (code !== '') {
    const { learnerName: name, agreed } = await visit.core.launches.getInvitation({ slug, code })
    return { values: visit.query, invited: { code, name, agreed } }
  }
  return { values: visit.query, known: isForgotten ? undefined : rememberedBy(visit) }
}
