import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { LaunchSchema, LaunchService, ObserveResponseSchema } from '../../../gen/lrs/v1/launches_pb.js'
import { countedAs, tester } from '../../access/developer.ts'
import { getLaunch, noSession, type LaunchContext } from '../../access/launch.ts'
import { createInvitation, revokeInvitation } from '../../command/games/invitations.ts'
import { endLaunch } from '../../command/accounts/end-sessions.ts'
import { openSandbox } from '../../command/games/open-sandbox.ts'
import { startPlay } from '../../command/games/start-play.ts'
import type { Core } from '../../context.ts'
import { getInvitation, getSandbox, listInvitations, sandboxOf, testLearners } from '../../query/launches.ts'
import type { Seen } from '../../query/observe.ts'
import type { Person } from '../../store/directory/studio-sessions.ts'
import type { NumberedEvent } from '../../store/directory/sandbox-events.ts'
import { invitationMessage } from './classes.ts'
import { developer, person } from './developer.ts'
import { connectErrorOf } from '../failure.ts'

/** Sessions in the player: of studios in the sandbox, of learners, and the events that studios watch. */
export function launchService(core: Core): ServiceImpl<typeof LaunchService> {
  const { store } = core
  return {
    async listTestLearners({ gameId }, context) {
      const learners = await testLearners(store, await person(core, context), gameId)
      return { learners: learners.map(({ id, name }) => ({ learnerId: id, name })) }
    },
    openSandbox: async (request, context) => ({
      launch: messageOf(await openSandbox(core, await person(core, context), request)),
    }),
    getSandbox: async ({ sessionId }, context) => ({
      launch: messageOf(await getSandbox(core, await person(core, context), sessionId)),
    }),
    async *observe({ sessionId, after, noFollow }, context) {
      try {
        const who = await person(core, context)
        const watcher = { studioId: countedAs(who), isNew: who.isNew }
        const session = await sandboxOf(store, who, sessionId)
        const from = Math.min(Number(after), Number.MAX_SAFE_INTEGER)
        if (noFollow) yield seen(await core.observers.existing(session, from))
        else {
          const renew = async (): Promise<void> => requireSame(who, await person(core, context))
          for await (const step of core.observers.follow(session, watcher, from, context.signal, renew))
            yield seen(step)
        }
      } catch (error) {
        if (context.signal.aborted) return
        // errors within a stream do not pass through the interceptors
        throw connectErrorOf(error, core.log, { method: 'Observe' })
      }
    },
    createInvitation: async ({ gameId, learnerName }, context) => ({
      code: await createInvitation(store, await developer(core, context), gameId, learnerName),
    }),
    async listInvitations({ gameId }, context) {
      const invitations = await listInvitations(store, await developer(core, context), gameId)
      return { invitations: invitations.map(invitationMessage) }
    },
    async revokeInvitation({ gameId, invitationId }, context) {
      await revokeInvitation(store, await developer(core, context), gameId, invitationId)
      return {}
    },
    getInvitation: ({ slug, code }) => getInvitation(store, slug, code),
    async startPlay(request) {
      const { launch, learnerToken } = await startPlay(core, request)
      return { launch: messageOf(launch), learnerToken }
    },
    getLaunch: async ({ sessionSecret }) => ({ launch: messageOf(await getLaunch(core, sessionSecret)) }),
    async endLaunch({ sessionSecret }) {
      await endLaunch(store, sessionSecret)
      return {}
    },
  }
}

/** An open stream is for the games that its person could try when it began. @throws Refusal */
function requireSame(before: Person, now: Person): void {
  const [then, may] = [tester(before), tester(now)]
  if (may.studio !== then.studio || may.reviewer !== then.reviewer) throw noSession()
}

const seconds = (value: number): bigint => BigInt(Math.floor(value))

const messageOf = (launch: LaunchContext): MessageInitShape<typeof LaunchSchema> => ({
  ...launch,
  expires: seconds(launch.expires),
})

const seen = ({ events, kept }: Seen): MessageInitShape<typeof ObserveResponseSchema> => ({
  kept,
  events: events.map(eventOf),
})

const eventOf = ({
  number,
  at,
  ...event
}: NumberedEvent): NonNullable<MessageInitShape<typeof ObserveResponseSchema>['events']>[number] => ({
  ...event,
  number: BigInt(number),
  at: BigInt(Math.round(at)),
  warnings: [...(event.warnings ?? [])],
})
