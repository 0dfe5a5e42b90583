import { OwnDataService } from '../../../gen/lrs/v1/own_data_pb.js'
import { ownLearner, type Own, type OwnProof } from '../access/own-learner.ts'
import { askErasure, decideErasure, takeBackErasure } from '../command/erasure-requests.ts'
import type { Core } from '../../context.ts'
import { learnerIn, learnerOfGame } from '../../analytics/query/learners.ts'
import { noGame } from '../../records/access/no-game.ts'
import { exact } from '../../records/xapi/exact.ts'
import { agentIdentifier } from '../../records/xapi/identify.ts'
import { exported, receiptOf } from './held.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { knownOf } from './learners.ts'
import { reads, game, numberOf } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

const agentOf = ({ config }: Core, learnerId: string): string =>
  agentIdentifier({ account: { homePage: `${config.authorityHome}/learners`, name: learnerId } })!

async function own(core: Core, proof: OwnProof | undefined): Promise<Own & { of: { gameId: string; agent: string } }> {
  const found = await ownLearner(core, proof)
  return { ...found, of: { gameId: found.learner.gameId, agent: agentOf(core, found.learner.learnerId) } }
}

/** Learners and their own data. */
export const ownDataService = service(OwnDataService, {
  getOwnData: method({ right: 'public', audit: reads }, async (core, { proof }) => {
    const { learner, mayAsk, of } = await own(core, proof)
    const known = await learnerIn(core, undefined, { ...of, sandbox: false }, `learner ${learner.learnerId}`)
    const request = await core.store.ownData.latest(learner.learnerId)
    return {
      known: knownOf(known),
      statements: known.latest.map(({ body, stored }) => exact({ body: Buffer.from(body), stored })),
      request,
      mayAsk,
    }
  }),
  exportOwnData: method({ right: 'public', audit: 'learner.export-own' }, async function* (core, { proof }) {
    const { of } = await own(core, proof)
    for await (const held of exported(core, await learnerOfGame(core, undefined, of))) yield { held }
  }),
  askErasure: method(
    {
      right: 'public',
      audit: { action: 'learner.ask-erasure', details: (_, done) => ({ request: done?.request?.requestId }) },
    },
    async (core, { proof }) => {
      return askErasure(core, proof)
    },
  ),
  takeBackErasure: method({ right: 'public', audit: 'learner.take-back-erasure' }, async (core, { proof }) => {
    await takeBackErasure(core, proof)
  }),
  listErasureRequests: method({ right: 'analyst', audit: reads }, async (core, { gameId }, context) => {
    const studio = await studioOf(core, context)
    if (!(await core.store.games.tenants(gameId, studio))) throw noGame()
    const requests = await core.store.ownData.list(gameId, studio)
    return {
      requests: requests.map(({ learnerId, name, ...request }) => ({
        request,
        learnerName: name,
        agent: learnerId === null ? '' : agentOf(core, learnerId),
      })),
    }
  }),
  decideErasure: method(
    {
      right: 'owner',
      audit: {
        action: 'learner.decide-erasure',
        subject: game,
        details: ({ requestId, erase }, done) => ({
          request: requestId,
          decision: erase ? 'erased' : 'refused',
          ...(erase ? { receipt: done?.receipt?.receiptId, statements: numberOf(done?.receipt?.statements) } : {}),
        }),
      },
    },
    async (core, request, context) => {
      const studio = await studioOf(core, context)
      if (!(await core.store.games.tenants(request.gameId, studio))) throw noGame()
      const { receipt, erased } = await decideErasure(core, studio, request)
      const isErased = receipt !== ''
      return { receipt: isErased ? (erased ? receiptOf(erased, receipt) : { receiptId: receipt }) : undefined }
    },
  ),
})
