import type { MessageInitShape } from '@bufbuild/protobuf'
import { Form, type FollowRequest, type FollowResponseSchema } from '../../gen/lrs/v1/statements_pb.js'
import { StaleCaller, type Caller } from '../access/caller.ts'
import type { Core } from '../context.ts'
import type { Start } from '../query/follow.ts'
import { perform, type CallContext, type Operation } from './operation.ts'
import { presentationOf, read } from './statements.ts'
import { typed } from './typed.ts'

/** Authenticates the follower. Pages that it reads afterwards do not count as requests. */
const begin: Operation<FollowRequest, Caller> = {
  scopes: read,
  bypassesFairQueue: true,
  run: async ({ authenticator }, caller) => {
    if (!(await authenticator.isCurrent(caller))) throw new StaleCaller('the credential has changed')
    return caller
  },
  view: {
    name: () => 'GET /xapi/statements',
    outcome: () => ({ status: 200, message: 'follows the statements' }),
    hidden: () => true,
  },
}

/** Sends statements as they are stored, message by message. @throws Problem, Refusal */
export async function* follow(
  core: Core,
  request: FollowRequest,
  context: CallContext,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof FollowResponseSchema>> {
  const { agent, verb, activity, registration, form } = request
  const renew = () => perform(core, begin, request, context)
  const how = presentationOf({ ...request, attachments: false })
  const isPortal = core.services.roleOf(context.authorization) === 'portal'
  const { follow } = isPortal ? core.pageFollowers : core.followers
  for await (const { statements, through } of follow(
    renew,
    { agent, verb, activity, registration },
    startOf(request),
    how,
    signal,
  )) {
    const content = form === Form.TYPED ? { statements: statements.map(typed) } : { json: statements }
    yield { ...content, through: BigInt(through) }
  }
}

function startOf({ start: { case: kind, value } }: FollowRequest): Start {
  if (kind === 'after') return { after: value }
  if (kind === 'since') return { since: value }
  return { fromNow: kind === 'fromNow' && value }
}
