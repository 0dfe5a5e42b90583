import type { MessageInitShape } from '@bufbuild/protobuf'
import { Form, StatementService, type FollowRequest, FollowResponseSchema } from '../../../gen/lrs/v1/statements_pb.js'
import { StaleCaller, type Caller } from '../access/caller.ts'
import type { Core } from '../../context.ts'
import type { Start } from '../query/follow.ts'
import type { Call } from '../../process/methods/call.ts'
import type { Operation } from '../calls/operation.ts'
import { cellReadingOf, cellsOf } from './cell-reading.ts'
import { perform } from '../calls/perform.ts'
import { presentationOf, read } from './read-statements.ts'
import { typedAnswer } from './typed-answer.ts'

/** Authenticates the follower. Pages that it reads afterwards do not count as requests. */
export const follow: Operation<FollowRequest, Caller> = {
  method: StatementService.method.follow,
  action: () => 'read statements',
  scopes: read,
  bypassesFairQueue: true,
  run: async ({ authenticator }, caller) => {
    if (!(await authenticator.isCurrent(caller))) throw new StaleCaller('the credential has changed')
    return caller
  },
}

/** Sends statements as they are stored, message by message. @throws Problem, Refusal */
export async function* followed(
  core: Core,
  request: FollowRequest,
  call: Call,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof FollowResponseSchema>> {
  const { form } = request
  let game = 0
  const renew = async (): Promise<Caller> => {
    await core.sessions.renew(call)
    const caller = await perform(core, follow, request, call)
    game = caller.game
    return caller
  }
  const how = presentationOf({ ...request, attachments: false })
  const isPortal = core.services.roleOf(call.authorization) === 'portal'
  const followers = isPortal ? core.pageFollowers : core.followers
  const start = { ...startOf(request), byCell: request.byCell && cellReadingOf(request.byCell) }
  for await (const { statements, through, cells } of followers.follow(renew, request, start, how, signal)) {
    const rest = { through: BigInt(through), cells: cells && cellsOf(cells) }
    yield form === Form.TYPED
      ? await typedAnswer(core.work, game, statements, FollowResponseSchema, rest)
      : { json: statements, ...rest }
  }
}

function startOf({ start: { case: kind, value } }: FollowRequest): Start {
  if (kind === 'after') return { after: value }
  if (kind === 'since') return { since: value }
  return { fromNow: kind === 'fromNow' && value }
}
