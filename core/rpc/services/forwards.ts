import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import {
  ForwardState,
  type ForwardCredential as CredentialMessage,
  type ForwardSchema,
  type ForwardService,
  type ForwardSettings as SettingsMessage,
  type SetAsideSchema,
} from '../../../gen/lrs/v1/forwards_pb.js'
import { forwards as limits } from '../../../shared/limits.ts'
import { noGame } from '../../access/visitor.ts'
import {
  addForward,
  changeForward,
  noForward,
  openCredential,
  requireOwn,
  sendAgain,
} from '../../command/forwards/forwards.ts'
import { countEndpoint } from '../../command/connections/count-endpoint.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../xapi/problem.ts'
import { target } from '../../jobs/forwards/target.ts'
import { slots } from '../../concurrency/slots.ts'
import type { Forward } from '../../store/directory/forwards.ts'
import {
  forwardCredential,
  forwardSettings,
  type ForwardCredential,
  type ForwardSettings,
} from '../../studio/forward.ts'
import { uuidParameter } from '../../xapi/parameters.ts'
import { callOf } from '../call.ts'
import { hosts } from './audit-entries.ts'
import { developer, isAdmin } from './developer.ts'

/** Forwards of statements to other stores. */
export function forwardService(core: Core): ServiceImpl<typeof ForwardService> {
  const { store } = core
  const tests = slots({ inAll: 20, ofOne: 2, refusal: 'Another test is under way; try again when it has ended.' })
  /** The studio that must own the game; undefined: an admin acts for every game. */
  const studioOf = async (context: HandlerContext): Promise<number | undefined> =>
    isAdmin(core, context) ? undefined : (await developer(core, context)).studio
  /** The forward that the call changes, and the studio that owns its game. */
  const concerned = async (forwardId: string, context: HandlerContext) => {
    const studio = await studioOf(context)
    const { gameId, settings } = await found(forwardId, studio)
    callOf(context).told = {
      subject: { kind: 'game', id: gameId },
      details: hosts(settings.endpoint, settings.endpoint),
    }
    return studio
  }
  const found = async (forwardId: string, studio: number | undefined): Promise<Forward> => {
    const forward = await store.forwards.find(forwardId, studio)
    if (!forward) throw noForward()
    return forward
  }
  return {
    async listForwards(request, context) {
      const studio = await studioOf(context)
      const gameId = uuidParameter(request.gameId, 'gameId')
      if (gameId === undefined && studio !== undefined) throw noGame()
      if (gameId !== undefined && !(await store.games.tenant(gameId, studio, false))) throw noGame()
      return { forwards: (await store.forwards.list(gameId, studio, limits.listed)).map(forwardMessage) }
    },
    async getForward({ forwardId }, context) {
      const forward = await found(forwardId, await studioOf(context))
      const [setAside, erasures] = await Promise.all([
        store.forwards.setAside(forwardId, limits.setAsideListed),
        store.forwards.erasures(forwardId, limits.setAsideListed),
      ])
      return {
        forward: forwardMessage(forward),
        setAside: [...erasures.map(erasureMessage(forward)), ...setAside.map(setAsideMessage)]
          .toSorted((one, other) => Number(other.at - one.at))
          .slice(0, limits.setAsideListed),
      }
    },
    async addForward({ gameId, settings, credential, since }, context) {
      const studio = await studioOf(context)
      const asked = { gameId, settings: settingsOf(settings), credential: credentialOf(credential), since }
      return { forward: forwardMessage(await found(await addForward(core, studio, asked), studio)) }
    },
    async changeForward({ forwardId, settings, credential }, context) {
      const studio = await concerned(forwardId, context)
      const before = (await found(forwardId, studio)).settings.endpoint
      await changeForward(core, studio, forwardId, {
        settings: settingsOf(settings),
        credential: credentialOf(credential),
      })
      const changed = await found(forwardId, studio)
      callOf(context).told = { ...callOf(context).told, details: hosts(before, changed.settings.endpoint) }
      return { forward: forwardMessage(changed) }
    },
    async testForward(request, context) {
      const studio = await studioOf(context)
      if (!(await store.games.tenant(request.gameId, studio, false))) throw noGame()
      const settings = forwardSettings({ ...settingsOf(request.settings), name: request.settings?.name || 'test' })
      let credential = forwardCredential(credentialOf(request.credential))
      const forwardId = uuidParameter(request.forwardId, 'forwardId')
      if (credential === undefined && forwardId !== undefined) {
        const kept = await store.forwards.find(forwardId, studio)
        if (!kept || kept.gameId !== request.gameId) throw noForward()
        requireOwn(kept.settings, settings, credential, kept.credential !== null)
        credential = openCredential(core, forwardId, kept.credential)
      }
      const release = tests.take(studio ?? 'admins')
      try {
        await countEndpoint(store, studio)
        return { problem: (await target(core.deliveries, settings, credential).problem(studio === undefined)) ?? '' }
      } finally {
        release()
      }
    },
    async pauseForward({ forwardId, paused }, context) {
      if (!(await store.forwards.pause(forwardId, await concerned(forwardId, context), paused))) throw noForward()
      return {}
    },
    async sendAgain({ forwardId, since }, context) {
      await sendAgain(core, await concerned(forwardId, context), forwardId, since)
      return {}
    },
    async retrySetAside({ forwardId }, context) {
      if (!(await store.forwards.retry(forwardId, await concerned(forwardId, context)))) throw noForward()
      return {}
    },
    async removeForward({ forwardId }, context) {
      if (!(await store.forwards.remove(forwardId, await concerned(forwardId, context)))) throw noForward()
      return {}
    },
  }
}

function settingsOf(settings: SettingsMessage | undefined): ForwardSettings {
  if (!settings) throw new Problem('settings', 'is missing')
  const { name, endpoint, version, sandbox, verb, activity, relatedActivities, pseudonyms, bare, attachments } =
    settings
  return { name, endpoint, version, sandbox, verb, activity, relatedActivities, pseudonyms, bare, attachments }
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

export function forwardMessage(forward: Forward): MessageInitShape<typeof ForwardSchema> {
  const { forwardId, gameId, settings, user, through, idle, failures, problem } = forward
  // from the oldest statement on: nothing is known of its age yet
  const reached = through === 0 ? forward.created : through / 1e6
  const behind = idle ? 0 : Math.max(0, Math.floor(Date.now() / 1000 - reached))
  return {
    forwardId,
    gameId,
    settings: { ...settings },
    user,
    state: stateOf(forward),
    through: BigInt(through),
    behindSeconds: BigInt(behind),
    sent: BigInt(forward.sent),
    setAside: BigInt(forward.setAside),
    failures,
    problem,
    lastSent: BigInt(forward.lastSent),
    nextAttempt: BigInt(failures > 0 ? forward.nextAttempt : 0),
    created: BigInt(forward.created),
  }
}

type SetAsideMessage = MessageInitShape<typeof SetAsideSchema> & { at: bigint }

const setAsideMessage = (one: { stored: number; statement: string; reason: string; at: number }): SetAsideMessage => ({
  statementId: one.statement,
  stored: BigInt(one.stored),
  reason: one.reason,
  at: BigInt(one.at),
})

/** An entry without a statement: the target has to be told. */
const erasureMessage =
  ({ settings }: Forward) =>
  ({ at }: { at: number }): SetAsideMessage => ({
    statementId: '',
    stored: 0n,
    reason:
      `A learner was erased here. ${new URL(settings.endpoint).host} may have statements of this learner, and xAPI ` +
      'cannot delete them there: ask whoever runs it to erase the learner, too.',
    at: BigInt(at),
  })
