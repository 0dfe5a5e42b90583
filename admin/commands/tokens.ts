import { InspectLaunchTokenResponseSchema, MintLaunchTokenResponseSchema } from '../../gen/lrs/v1/identity_pb.js'
import { agentOf } from '../agent.ts'
import { amount } from '../amount.ts'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { list, time } from '../show.ts'

export const mintToken: Work<{ key: string; agent: string; registration?: string }> = async (
  session,
  _args,
  { key, agent, registration },
) => {
  const actor = agentOf(agent)
  const minted = await (await session.connect()).identity.mintLaunchToken({ key, actor, registration })
  const text = list([
    ['authorization', `Bearer ${minted.token}`],
    ['actor', actor],
    ['registration', minted.registration],
    ['expires', `${time(minted.expires)} UTC`],
  ])
  return { json: jsonOf(MintLaunchTokenResponseSchema, minted), text }
}

export const inspectToken: Work<object> = async (session, [token]) => {
  const found = await (await session.connect()).identity.inspectLaunchToken({ token: token!.replace(/^Bearer +/i, '') })
  const { gameId, key, actor, registration, expires } = found
  const text = list([
    ['game', gameId],
    ['key', key],
    ['actor', actor],
    ['registration', registration],
    ['expires', `${time(expires)} UTC`],
  ])
  return { json: jsonOf(InspectLaunchTokenResponseSchema, found), text }
}

export const endSessions: Work<object> = async (session, [which]) => {
  const isLearner = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(which!)
  const sessions = { case: isLearner ? 'learnerId' : 'token', value: which!.replace(/^Bearer +/i, '') } as const
  const { ended } = await (await session.connect()).identity.endSessions({ sessions })
  return {
    json: { ended },
    text:
      ended === 0
        ? 'No session was running.'
        : `Ended ${amount(ended, 'session')}: their tokens are refused from now on.`,
  }
}
