import type { HandlerContext } from '@connectrpc/connect'
import {
  ForwardState,
  type ForwardCredential as CredentialMessage,
  ForwardService,
  type ForwardSettings as SettingsMessage,
} from '../../../gen/lrs/v1/forwards_pb.js'
import { forwards as limits } from '../../../shared/limits.ts'
import { noGame } from '../../records/access/no-game.ts'
import { addForward, changeForward, noForward, openCredential, requireOwn, sendAgain } from '../command/forwards.ts'
import { countEndpoint } from '../command/count-endpoint.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { target } from '../delivery/target.ts'
import { slots } from '../../process/concurrency/slots.ts'
import type { ErasedHere, Forward } from '../store/forwards.ts'
import { forwardCredential, forwardSettings, type ForwardCredential, type ForwardSettings } from '../rules/forward.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { callOf } from '../../process/methods/call.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, ofGame, hostOf, hosts } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

const tests = slots({ inAll: 20, ofOne: 2, refusal: 'Another test is under way; try again when it has ended.' })

/** The forward that the call changes, and the studio that owns its game. */
async function concerned(core: Core, forwardId: string, context: HandlerContext): Promise<number | undefined> {
  const studio = await studioOf(core, context)
  const { gameId, settings } = await found(core, forwardId, studio)
  callOf(context).told = {
    subject: { kind: 'game', id: gameId },
    details: hosts(settings.endpoint, settings.endpoint),
  }
  return studio
}

async function found({ store }: Core, forwardId: string, studio: number | undefined): Promise<Forward> {
  const forward = await store.forwards.find(forwardId, studio)
  if (!forward) throw noForward()
  return forward
}

/** The handler tells whose game it is. */
const ofForward = (action: string) => ({
  action,
  details: ({ forwardId }: { forwardId: string }, done?: object) => ({ forward: done && forwardId }),
})

const formOf = (settings: SettingsMessage | undefined) => ({
  sandbox: settings?.sandbox,
  pseudonyms: settings?.pseudonyms,
  attachments: settings?.attachments,
})

/** Forwards of statements to other stores. */
export const forwardService = service(ForwardService, {
  listForwards: method({ right: 'analyst', audit: reads }, async (core, request, context) => {
    const studio = await studioOf(core, context)
    const gameId = uuidParameter(request.gameId, 'gameId')
    if (gameId === undefined && studio !== undefined) throw noGame()
    if (gameId !== undefined && !(await core.store.games.tenant(gameId, studio, false))) throw noGame()
    return { forwards: (await core.store.forwards.list(gameId, studio, limits.listed)).map(forwardMessage) }
  }),
  getForward: method({ right: 'analyst', audit: reads }, async (core, { forwardId }, context) => {
    const forward = await found(core, forwardId, await studioOf(core, context))
    const [setAside, erasures] = await Promise.all([
      core.store.forwards.setAside(forwardId, limits.setAsideListed),
      core.store.forwards.erasures(forwardId, limits.setAsideListed),
    ])
    return {
      forward: forwardMessage(forward),
      setAside: [
        ...erasures.map(erasureMessage(forward)),
        ...setAside.map((one) => ({ ...one, statementId: one.statement })),
      ]
        .toSorted((one, other) => other.at - one.at)
        .slice(0, limits.setAsideListed),
    }
  }),
  addForward: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('forward.add'),
        details: ({ settings, since }, done) => ({
          forward: done?.forward?.forwardId,
          ...formOf(settings),
          backfill: since !== '',
          host: hostOf(settings?.endpoint, done),
        }),
      },
    },
    async (core, { gameId, settings, credential, since }, context) => {
      const studio = await studioOf(core, context)
      const asked = { gameId, settings: settingsOf(settings), credential: credentialOf(credential), since }
      return { forward: forwardMessage(await found(core, await addForward(core, studio, asked), studio)) }
    },
  ),
  changeForward: method(
    {
      right: 'developer',
      audit: {
        ...ofForward('forward.change'),
        details: ({ forwardId, settings, credential }, done) => ({
          forward: done && forwardId,
          ...formOf(settings),
          credential: credential?.kind.case !== undefined,
        }),
      },
    },
    async (core, { forwardId, settings, credential }, context) => {
      const studio = await concerned(core, forwardId, context)
      const before = (await found(core, forwardId, studio)).settings.endpoint
      await changeForward(core, studio, forwardId, {
        settings: settingsOf(settings),
        credential: credentialOf(credential),
      })
      const changed = await found(core, forwardId, studio)
      callOf(context).told = { ...callOf(context).told, details: hosts(before, changed.settings.endpoint) }
      return { forward: forwardMessage(changed) }
    },
  ),
  testForward: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('forward.test'),
        details: ({ settings }, done) => ({
          host: hostOf(settings?.endpoint, done),
          works: done && done.problem === '',
        }),
      },
    },
    async (core, request, context) => {
      const studio = await studioOf(core, context)
      if (!(await core.store.games.tenant(request.gameId, studio, false))) throw noGame()
      const settings = forwardSettings({ ...settingsOf(request.settings), name: request.settings?.name || 'test' })
      let credential = forwardCredential(credentialOf(request.credential))
      const forwardId = uuidParameter(request.forwardId, 'forwardId')
      if (credential === undefined && forwardId !== undefined) {
        const kept = await core.store.forwards.find(forwardId, studio)
        if (!kept || kept.gameId !== request.gameId) throw noForward()
        requireOwn(kept.settings, settings, credential, kept.credential !== null)
        credential = openCredential(core, forwardId, kept.credential)
      }
      const release = tests.take(studio ?? 'admins')
      try {
        await countEndpoint(core.store, studio)
        return { problem: (await target(core.deliveries, settings, credential).problem(studio === undefined)) ?? '' }
      } finally {
        release()
      }
    },
  ),
  pauseForward: method(
    {
      right: 'developer',
      audit: {
        ...ofForward('forward.pause'),
        details: ({ forwardId, paused }, done) => ({ forward: done && forwardId, paused }),
      },
    },
    async (core, { forwardId, paused }, context) => {
      if (!(await core.store.forwards.pause(forwardId, await concerned(core, forwardId, context), paused)))
        throw noForward()
    },
  ),
  sendAgain: method(
    { right: 'developer', audit: ofForward('forward.send-again') },
    async (core, { forwardId, since }, context) =>
      sendAgain(core, await concerned(core, forwardId, context), forwardId, since),
  ),
  retrySetAside: method(
    { right: 'developer', audit: ofForward('forward.retry') },
    async (core, { forwardId }, context) => {
      if (!(await core.store.forwards.retry(forwardId, await concerned(core, forwardId, context)))) throw noForward()
    },
  ),
  removeForward: method(
    { right: 'developer', audit: ofForward('forward.remove') },
    async (core, { forwardId }, context) => {
      if (!(await core.store.forwards.remove(forwardId, await concerned(core, forwardId, context)))) throw noForward()
    },
  ),
})

function settingsOf(settings: SettingsMessage | undefined): ForwardSettings {
  if (!settings) throw new Problem('settings', 'is missing')
  const { $typeName: _, $unknown: __, ...plain } = settings
  return plain
}

function credentialOf(message: CredentialMessage | undefined): ForwardCredential {
  const kind = message?.kind
  if (kind?.case === 'basic') return { user: kind.value.user, password: kind.value.password }
  return kind?.case === 'bearer' ? { bearer: kind.value } : undefined
}

function stateOf({ paused, failures }: Forward): ForwardState {
  if (paused) return ForwardState.PAUSED
  return failures > 0 ? ForwardState.FAILING : ForwardState.RUNNING
}

export function forwardMessage(forward: Forward) {
  const { through, idle, failures } = forward
  // from the oldest statement on: nothing is known of its age yet
  const reached = through === 0 ? forward.created : through / 1e6
  return {
    ...forward,
    state: stateOf(forward),
    behindSeconds: idle ? 0 : Math.max(0, Date.now() / 1000 - reached),
    nextAttempt: failures > 0 ? forward.nextAttempt : 0,
  }
}

/** An entry without a statement: the target has to be told. */
const erasureMessage =
  ({ settings }: Forward) =>
  ({ at, deletionId, statements }: ErasedHere) => {
    const { host } = new URL(settings.endpoint)
    return {
      at,
      deletionId,
      reason: deletionId
        ? `${statements} statements were deleted here (deletion ${deletionId}). ${host} may have them, and xAPI cannot ` +
          'delete them there: send their ids, which the receipt of the deletion lists, to those who run it.'
        : `A learner was erased here. ${host} may have statements of this learner, and xAPI cannot delete them there: ` +
          'ask whoever runs it to erase the learner, too.',
    }
  }
