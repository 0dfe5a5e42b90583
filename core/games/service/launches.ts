import type { HandlerContext } from '@connectrpc/connect'
import { LaunchService } from '../../../gen/lrs/v1/launches_pb.js'
import { countedAs, tester } from '../../accounts/access/developer.ts'
import { getLaunch, noSession, type LaunchContext } from '../access/launch.ts'
import { startBeta } from '../command/beta-link.ts'
import { createInvitation, revokeInvitation } from '../command/invitations.ts'
import { endLaunch } from '../../accounts/command/end-sessions.ts'
import { openSandbox } from '../command/open-sandbox.ts'
import { startPlay } from '../command/start-play.ts'
import type { Core } from '../../context.ts'
import {
  getBeta,
  getInvitation,
  getSandbox,
  listInvitations,
  sandboxOf,
  testLearners,
  checkFiles,
  downloadOf,
  resultOfSession,
} from '../query/launches.ts'
import type { Seen } from '../query/observe.ts'
import type { Tester } from '../store/launches.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { withFinal } from './classes.ts'
import { buildOf, summaryOf } from './games.ts'
import { playerMessage } from './player-settings.ts'
import { connectErrorOf } from '../../process/methods/failure.ts'
import { reads, session, ofGame } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer, isAdmin, person } from '../../process/methods/developer.ts'

/** Sessions in the player: of studios in the sandbox, of learners, and the events that studios watch. */
export const launchService = service(LaunchService, {
  listTestLearners: method({ right: 'tester', token: 'sandbox', audit: reads }, async (core, { gameId }, context) => {
    const { tester } = await testerOf(core, context)
    const learners = await testLearners(core.store, tester, gameId)
    return { learners: learners.map(({ id, name }) => ({ learnerId: id, name })) }
  }),
  openSandbox: method({ right: 'tester', token: 'sandbox', audit: session }, async (core, request, context) => ({
    launch: messageOf(await openSandbox(core, await testerOf(core, context), request)),
  })),
  getSandbox: method({ right: 'tester', token: 'sandbox', audit: reads }, async (core, { sessionId }, context) => ({
    launch: messageOf(await getSandbox(core, (await testerOf(core, context)).tester, sessionId)),
  })),
  observe: method(
    { right: 'tester', token: 'sandbox', audit: reads },
    async function* (core, { sessionId, after, noFollow }, context) {
      try {
        const who = await testerOf(core, context)
        const watcher = { studioId: who.countedAs ?? 'operator', isNew: who.isNew }
        const session = await sandboxOf(core.store, who.tester, sessionId)
        const from = Math.min(Number(after), Number.MAX_SAFE_INTEGER)
        if (noFollow) yield seen(await core.observers.existing(session, from))
        else {
          const renew = async (): Promise<void> => requireSame(who.tester, (await testerOf(core, context)).tester)
          for await (const step of core.observers.follow(session, watcher, from, context.signal, renew))
            yield seen(step)
        }
      } catch (error) {
        if (context.signal.aborted) return
        // errors within a stream do not pass through the interceptors
        throw connectErrorOf(error, core.log, { method: 'Observe' })
      }
    },
  ),
  createInvitation: method({ right: 'developer', audit: ofGame('invitation.create') }, byDeveloper(createInvitation)),
  listInvitations: method({ right: 'developer', audit: reads }, async (core, { gameId }, context) => {
    const invitations = await listInvitations(core.store, await developer(core, context), gameId)
    return { invitations: invitations.map(withFinal) }
  }),
  revokeInvitation: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('invitation.revoke'),
        details: ({ invitationId }) => ({ invitation: invitationId }),
      },
    },
    byDeveloper(revokeInvitation),
  ),
  getInvitation: method({ right: 'public', audit: reads }, ({ store }, { slug, code }) =>
    getInvitation(store, slug, code),
  ),
  startPlay: method({ right: 'public', audit: session }, async (core, request) => {
    const { launch, learnerToken } = await startPlay(core, request)
    return { launch: messageOf(launch), learnerToken }
  }),
  getBeta: method({ right: 'public', audit: reads }, async ({ store }, { code }) => {
    const { build, ...game } = await getBeta(store, code)
    return { game: summaryOf(game), build: build ? buildOf(build) : undefined }
  }),
  startBeta: method({ right: 'public', audit: session }, async (core, request) => ({
    launch: messageOf(await startBeta(core, request)),
  })),
  getLaunch: method(
    { who: ['portal', 'admin', 'player'], right: 'public', audit: reads },
    async (core, { sessionSecret }) => ({ launch: messageOf(await getLaunch(core, sessionSecret)) }),
  ),
  getDownload: method({ right: 'tester', audit: reads }, async (core, { buildId }, context) => ({
    path: await downloadOf(core.store, core.tokens, (await testerOf(core, context)).tester, buildId),
  })),
  checkFiles: method({ who: ['player'], right: 'none', audit: reads }, async (core, asked) => ({
    ...(await checkFiles(core.store, asked)),
    keys: core.tokens.fileKeys,
  })),
  endLaunch: method({ right: 'public', token: 'sandbox', audit: session }, async ({ store }, { sessionSecret }) =>
    endLaunch(store, sessionSecret),
  ),
  getResult: method({ right: 'public', audit: reads }, async (core, { sessionSecret, brief }) => {
    const { levels, ...result } = await resultOfSession(core, sessionSecret, brief)
    return { ...result, levels: levels.map(({ last, ...level }) => ({ ...level, lastSeen: last })) }
  }),
})

interface Trying {
  readonly tester: Tester
  /** Whose limits count; undefined: no limit counts. */
  readonly countedAs: string | undefined
  readonly isNew: boolean
}

const operator: Trying = {
  tester: { studio: null, reviewer: false, operator: true },
  countedAs: undefined,
  isNew: false,
}

/** Who tries a game. @throws Refusal */
async function testerOf(core: Core, context: HandlerContext): Promise<Trying> {
  if (isAdmin(core, context)) return operator
  const who = await person(core, context)
  return { tester: tester(who), countedAs: countedAs(who), isNew: who.isNew }
}

/** An open stream is for the games that its tester could try when it began. @throws Refusal */
function requireSame(then: Tester, may: Tester): void {
  if (may.studio !== then.studio || may.reviewer !== then.reviewer) throw noSession()
}

export const messageOf = (launch: LaunchContext) => ({ ...launch, player: playerMessage(launch.player) })

const seen = ({ events, kept }: Seen) => ({
  kept,
  events: events.map((event) => ({ ...event, at: Math.round(event.at) })),
})
