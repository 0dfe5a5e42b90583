import type { DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Core } from '../../context.ts'
import { callOf } from '../../process/methods/call.ts'
import type { Declaration, Policy, Who } from '../../process/methods/declaration.ts'
import type { Operation } from './operation.ts'
import { perform } from './perform.ts'

/** For the game itself, and for services, which may act for every game. */
const who: readonly Who[] = ['game', 'service', 'admin']

/** For games; with a right also for the portal with a session of the game's studio (perform.ts). */
type ForGames<Method extends DescMethod> = Pick<Policy<Method>, 'audit' | 'token'> & { readonly right?: 'analyst' }

const policyOf = <Method extends DescMethod>({ right, ...rest }: ForGames<Method>): Policy<Method> =>
  right ? { who: [...who, 'portal'], right, ...rest } : { who, right: 'none', ...rest }

/** Declares a method of games beside the operation that it is. */
export const forGames = <Method extends DescMethod>(
  operation: Operation<MessageShape<Method['input']>, MessageInitShape<Method['output']>>,
  policy: ForGames<Method>,
): Declaration<Method> => ({
  policy: policyOf(policy),
  operation: operation as unknown as Operation<never, object>,
  run: ((core: Core, request: MessageShape<Method['input']>, context: HandlerContext) =>
    perform(core, operation, request, callOf(context))) as Declaration<Method>['run'],
})

/** The same for a method with a stream, which makes the operation's request itself. */
export const streamForGames = <Method extends DescMethod>(
  run: Declaration<Method>['run'],
  policy: ForGames<Method>,
): Declaration<Method> => ({ policy: policyOf(policy), run })
