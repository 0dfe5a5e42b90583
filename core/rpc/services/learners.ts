import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import type { Core } from '../../context.ts'
import {
  findLearners,
  learnerDocument,
  learnerIn,
  learnerOfGame,
  learnerSessions,
  type FoundLearner,
} from '../../query/learners.ts'
import type { StateInShort } from '../../store/cell/learner-data.ts'
import { developer, isAdmin } from './developer.ts'
import { consentOf, erased, exported } from '../relay/held.ts'

/** Learners of the games of a studio. */
export function learnerService(core: Core): ServiceImpl<typeof LearnerService> {
  /** The studio that must own the game; undefined: an admin asks. */
  const studioOf = async (context: HandlerContext): Promise<number | undefined> =>
    isAdmin(core, context) ? undefined : (await developer(core, context)).studio

  return {
    async findLearners(request, context) {
      const { learners, waiting, ...rest } = await findLearners(core, await studioOf(context), request)
      return { ...rest, learners: learners.map(inShort), waiting: waiting.map(inShort) }
    },
    async getLearner(request, context) {
      return knownOf(await learnerIn(core, await studioOf(context), request))
    },
    async listLearnerSessions(request, context) {
      const sessions = await learnerSessions(core, await studioOf(context), request)
      return {
        sessions: sessions.map(({ registration, began, ended, statements }) => ({
          registration,
          begin: BigInt(Math.max(0, began)) * 1000n,
          end: BigInt(Math.max(0, ended)) * 1000n,
          statements: BigInt(statements),
        })),
      }
    },
    async getLearnerDocument(request, context) {
      const { content, ...document } = await learnerDocument(core, await studioOf(context), request)
      return { document: documentOf(document), content }
    },
    async *exportGameLearner(request, context) {
      const learner = await learnerOfGame(core, await studioOf(context), request)
      for await (const held of exported(core, learner)) yield { held }
    },
    async eraseGameLearner({ preview, ...request }, context) {
      return { receipt: await erased(core, await learnerOfGame(core, await studioOf(context), request), preview) }
    },
  }
}

/** What is known of a learner, as a message. */
export function knownOf(known: Awaited<ReturnType<typeof learnerIn>>) {
  const { learner, origin, levels, documents, consents, latest: _, ...rest } = known
  return {
    ...rest,
    learner: inShort(learner),
    origin: origin && { ...origin, created: BigInt(origin.created) },
    levels: levels.map(({ last, ...level }) => ({ ...level, lastSeen: BigInt(last) })),
    documents: documents.map(documentOf),
    consents: consents.map(consentOf),
  }
}

const inShort = ({ agent, name, kind, first, last, statements, sessions }: FoundLearner) => ({
  agent,
  name,
  kind,
  firstSeen: BigInt(first),
  lastSeen: BigInt(last),
  statements: BigInt(statements),
  sessions: BigInt(sessions),
})

const documentOf = ({ size, updated, ...document }: StateInShort) => ({
  ...document,
  size: BigInt(size),
  written: BigInt(updated),
})
