import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { OwnDataService } from '../../../gen/lrs/v1/own_data_pb.js'
import { ownLearner, type Own, type OwnProof } from '../../access/own-learner.ts'
import { askErasure, decideErasure, takeBackErasure } from '../../command/data/erasure-requests.ts'
import type { Core } from '../../context.ts'
import { learnerIn, learnerOfGame } from '../../query/learners.ts'
import { noGame } from '../../access/visitor.ts'
import type { ErasureRequest } from '../../store/directory/own-data.ts'
import { exact } from '../../xapi/exact.ts'
import { agentIdentifier } from '../../xapi/identify.ts'
import { developer, isAdmin } from './developer.ts'
import { exported, receiptOf } from '../relay/held.ts'
import { knownOf } from './learners.ts'

/** Learners and their own data. */
export function ownDataService(core: Core): ServiceImpl<typeof OwnDataService> {
  const { store, config } = core
  const studioOf = async (context: HandlerContext): Promise<number | undefined> =>
    isAdmin(core, context) ? undefined : (await developer(core, context)).studio
  const agentOf = (learnerId: string): string =>
    agentIdentifier({ account: { homePage: `${config.authorityHome}/learners`, name: learnerId } })!
  const own = async (proof: OwnProof | undefined): Promise<Own & { of: { gameId: string; agent: string } }> => {
    const found = await ownLearner(core, proof)
    return { ...found, of: { gameId: found.learner.gameId, agent: agentOf(found.learner.learnerId) } }
  }

  return {
    async getOwnData({ proof }) {
      const { learner, mayAsk, of } = await own(proof)
      const known = await learnerIn(core, undefined, { ...of, sandbox: false }, `learner ${learner.learnerId}`)
      const request = await store.ownData.latest(learner.learnerId)
      return {
        known: knownOf(known),
        statements: known.latest.map(({ body, stored }) => exact({ body: Buffer.from(body), stored })),
        request: request && requestOf(request),
        mayAsk,
      }
    },
    async *exportOwnData({ proof }) {
      const { of } = await own(proof)
      for await (const held of exported(core, await learnerOfGame(core, undefined, of))) yield { held }
    },
    async askErasure({ proof }) {
      const { request } = await askErasure(core, proof)
      return { request: requestOf(request) }
    },
    async takeBackErasure({ proof }) {
      await takeBackErasure(core, proof)
      return {}
    },
    async listErasureRequests({ gameId }, context) {
      const studio = await studioOf(context)
      if (!(await store.games.tenants(gameId, studio))) throw noGame()
      const requests = await store.ownData.list(gameId, studio)
      return {
        requests: requests.map(({ learnerId, name, ...request }) => ({
          request: requestOf(request),
          learnerName: name,
          agent: learnerId === null ? '' : agentOf(learnerId),
        })),
      }
    },
    async decideErasure(request, context) {
      const studio = await studioOf(context)
      if (!(await store.games.tenants(request.gameId, studio))) throw noGame()
      const { receipt, erased } = await decideErasure(core, studio, request)
      const isErased = receipt !== ''
      return { receipt: isErased ? (erased ? receiptOf(erased, receipt) : { receiptId: receipt }) : undefined }
    },
  }
}

const requestOf = ({ asked, due, decided, receipt, ...request }: ErasureRequest) => ({
  ...request,
  asked: BigInt(asked),
  due: BigInt(due),
  decided: BigInt(decided),
  receiptId: receipt,
})
