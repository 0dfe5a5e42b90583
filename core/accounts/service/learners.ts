import { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import {
  clientVersions,
  findLearners,
  learnerDocument,
  learnerIn,
  learnerOfGame,
  learnerSessions,
  type FoundLearner,
} from '../../analytics/query/learners.ts'
import type { StateInShort } from '../../records/store/cell/learner-data.ts'
import { erased, exported } from './held.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, game, erasure } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

/** Learners of the games of a studio. */
export const learnerService = service(LearnerService, {
  findLearners: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const { learners, waiting, ...rest } = await findLearners(core, await studioOf(core, context), request)
    return { ...rest, learners: learners.map(inShort), waiting: waiting.map(inShort) }
  }),
  getLearner: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    return knownOf(await learnerIn(core, await studioOf(core, context), request))
  }),
  listClientVersions: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    return clientVersions(core, await studioOf(core, context), request)
  }),
  listLearnerSessions: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const sessions = await learnerSessions(core, await studioOf(core, context), request)
    const micros = (time: number) => Math.max(0, time) * 1000
    return { sessions: sessions.map((one) => ({ ...one, begin: micros(one.began), end: micros(one.ended) })) }
  }),
  getLearnerDocument: method({ right: 'analyst', audit: reads }, async (core, request, context) => {
    const { content, ...document } = await learnerDocument(core, await studioOf(core, context), request)
    return { document: documentOf(document), content }
  }),
  exportGameLearner: method(
    { right: 'analyst', audit: { action: 'learner.export', subject: game } },
    async function* (core, request, context) {
      const learner = await learnerOfGame(core, await studioOf(core, context), request)
      for await (const held of exported(core, learner)) yield { held }
    },
  ),
  eraseGameLearner: method(
    {
      right: 'owner',
      audit: {
        ...erasure,
        details: (_, done) => erasure.details(_, done?.receipt),
        subject: game,
      },
    },
    async (core, { preview, ...request }, context) => {
      return { receipt: await erased(core, await learnerOfGame(core, await studioOf(core, context), request), preview) }
    },
  ),
})

/** What is known of a learner, as a message. */
export function knownOf(known: Awaited<ReturnType<typeof learnerIn>>) {
  const { learner, levels, documents, ...rest } = known
  return {
    ...rest,
    learner: inShort(learner),
    levels: levels.map(({ last, ...level }) => ({ ...level, lastSeen: last })),
    documents: documents.map(documentOf),
  }
}

const inShort = (learner: FoundLearner) => ({ ...learner, firstSeen: learner.first, lastSeen: learner.last })

const documentOf = (document: StateInShort) => ({ ...document, written: document.updated })
