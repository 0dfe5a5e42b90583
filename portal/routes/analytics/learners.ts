import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { sendLines } from '../parts/send-lines.ts'
import { endless } from '../../web/core-client.ts'
import { PageFailure } from '../../web/failure.ts'
import { decideErasurePage, erasureRequests } from '../../pages/analytics/erasure-requests.ts'
import { eraseLearnerPage, erasedPage, learnerDocumentPage, learnerPage } from '../../pages/analytics/learner.ts'
import { learnersPage, nameOf } from '../../pages/analytics/learners.ts'
import { learnerIn } from '../../pages/records/statement.ts'
import { tellingOf } from '../../pages/records/statements.ts'
import { dataPath } from '../../pages/parts/data-view.ts'
import { owner, refused, seeOther, signedIn, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { viewOf } from '../parts/data-view.ts'
import { sessionsOf } from '../records/statements.ts'

/** Statements of the timeline that a page has. */
const pageSize = 12
const askAgain = '1'

const decided: Readonly<Record<string, string>> = { refused: 'The request is refused. The learner sees your reason.' }

/** Learners of a game: found by name or account, each with a page, an export and an erasure. */
export const learners = (portal: Portal): Router =>
  Router()
    .get(
      '/games/:id/learners',
      signedIn(portal, async (visit) => {
        const view = viewOf(visit)
        const { game } = await visit.core.games.getGame({ gameId: uuid(visit) })
        try {
          const found = await visit.core.learners.findLearners({
            gameId: uuid(visit),
            sandbox: view.sandbox,
            text: visit.query('q'),
            after: visit.query('after'),
          })
          if (!found.complete) visit.response.set('Refresh', askAgain)
          const isFirst = visit.query('q') === '' && visit.query('after') === '' && !view.sandbox
          const { requests } = isFirst
            ? await visit.core.ownData.listErasureRequests({ gameId: uuid(visit) })
            : { requests: [] }
          return learnersPage(visit, game!, view, found, {
            before: erasureRequests(visit, game!, requests),
            done: decided[visit.query('done')],
          })
        } catch (error) {
          return learnersPage(visit, game!, view, undefined, { failure: refused(visit, error) })
        }
      }),
    )
    .post(
      '/games/:id/erasures/:request',
      owner(portal, async (visit) => {
        const [gameId, requestId] = [uuid(visit), uuid(visit, 'request')]
        const erase = visit.form('decision') === 'erase'
        const decision = { gameId, requestId, erase, reason: visit.form('reason') }
        try {
          const { receipt } = await visit.core.ownData.decideErasure(decision, { timeoutMs: 5 * 60_000 })
          if (!erase) return seeOther(visit, `/games/${gameId}/learners?done=refused`)
          const { game } = await visit.core.games.getGame({ gameId })
          return erasedPage(visit, game!, viewOf(visit), receipt!)
        } catch (error) {
          const failure = refused(visit, error)
          const { game } = await visit.core.games.getGame({ gameId })
          return decideErasurePage(visit, game!, viewOf(visit), requestId, failure)
        }
      }),
    )
    .get(
      '/games/:id/erasures/:request',
      owner(portal, async (visit) => {
        const { game } = await visit.core.games.getGame({ gameId: uuid(visit) })
        return decideErasurePage(visit, game!, viewOf(visit), uuid(visit, 'request'))
      }),
    )
    .get(
      '/games/:id/learner',
      signedIn(portal, async (visit) => {
        const { game, view, found, of } = await learnerOf(visit)
        if (!found.complete) visit.response.set('Refresh', askAgain)
        const offset = visit.query('offset')
        const key = view.sandbox ? game.sandboxKey : (game.credential?.key ?? '')
        const page =
          key === '' || found.learner!.statements === 0n
            ? undefined
            : await visit.core.onBehalf(key).queryStatements({ agent: of.agent, limit: pageSize, offset })
        const json = (page?.json ?? []).map((bytes) => Buffer.from(bytes).toString())
        const sessions = await sessionsOf(visit, view, json)
        const timeline = { json, sessions, next: page?.next ?? '', isPaged: offset !== '' }
        const agent = visit.query('agent')
        const telling = {
          ...tellingOf(visit, game, view),
          at: (filters: Readonly<Record<string, string>>) => dataPath(game, 'statements', view, { agent, ...filters }),
        }
        return learnerPage(visit, game, view, found, timeline, telling)
      }),
    )
    .get(
      '/games/:id/learner/document',
      signedIn(portal, async (visit) => {
        const { of, view } = agentOf(visit)
        const [{ game }, document] = await Promise.all([
          visit.core.games.getGame({ gameId: of.gameId }),
          visit.core.learners.getLearnerDocument({
            ...of,
            activityId: visit.query('activity'),
            registration: visit.query('registration'),
            id: visit.query('id'),
          }),
        ])
        return learnerDocumentPage(visit, game!, view, of.agent, document, tellingOf(visit, game!, view))
      }),
    )
    .get(
      '/games/:id/learner/export',
      signedIn(portal, async (visit) => {
        const { of } = agentOf(visit)
        await sendLines(visit, 'learner.ndjson', visit.core.learners.exportGameLearner(of, endless))
      }),
    )
    .get(
      '/games/:id/learner/erase',
      owner(portal, async (visit) => {
        const { game, view, found, of } = await learnerOf(visit)
        return eraseLearnerPage(visit, game, view, found, await preview(visit, of))
      }),
    )
    .post(
      '/games/:id/learner/erase',
      owner(portal, async (visit) => {
        const { game, view, found, of } = await learnerOf(visit)
        const name = nameOf(found.learner!)
        if (visit.form('name').trim() !== name) {
          const wrong = new PageFailure(Reason.INVALID, `name: must be ${name}`, { path: 'name' })
          return eraseLearnerPage(visit, game, view, found, await preview(visit, of), refused(visit, wrong))
        }
        const { receipt } = await visit.core.learners.eraseGameLearner(of, { timeoutMs: 5 * 60_000 })
        return erasedPage(visit, game, view, receipt!)
      }),
    )

const preview = async (visit: Visit, of: { gameId: string; agent: string }) =>
  (await visit.core.learners.eraseGameLearner({ ...of, preview: true }, { timeoutMs: 5 * 60_000 })).receipt!

/** The learner of the address. @throws PageFailure */
function agentOf(visit: Visit) {
  const view = viewOf(visit)
  const agent = learnerIn(visit.query('agent'))
  if (agent === undefined || agent === '')
    throw new PageFailure(Reason.NOT_FOUND, 'The address names no learner. Find the learner by name or account.')
  return { view, of: { gameId: uuid(visit), agent, sandbox: view.sandbox } }
}

async function learnerOf(visit: Visit) {
  const { view, of } = agentOf(visit)
  const [{ game }, found] = await Promise.all([
    visit.core.games.getGame({ gameId: of.gameId }),
    visit.core.learners.getLearner(of),
  ])
  return { game: game!, view, found, of }
}
