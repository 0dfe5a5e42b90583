import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import type { SignedIn } from '../../command/accounts/accounts.ts'
import { beginPasskeySignIn, finishSignIn, signInWithPasskey } from '../../command/accounts/finish-sign-in.ts'
import {
  addPasskey,
  beginConfirmation,
  beginPasskey,
  beginTotp,
  confirm,
  confirmTotp,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  resetSecondFactor,
} from '../../command/accounts/second-factors.ts'
import type { Core } from '../../context.ts'
import { signInSettings } from '../../query/sign-in-settings.ts'
import { Refusal } from '../../refusal.ts'
import type { Account } from '../../store/directory/accounts.ts'
import { callOf } from '../call.ts'
import { person } from './developer.ts'

/** Second factors, passkeys and sessions of accounts. */
export function signInService(core: Core): ServiceImpl<typeof SignInService> {
  const { studioSessions } = core.store
  const who = (context: HandlerContext) => person(core, context)
  return {
    finishSignIn: async (request, context) => signedInAs(await finishSignIn(core, request, named(context))),
    beginPasskeySignIn: async (request) => ({ options: await beginPasskeySignIn(core, request) }),
    signInWithPasskey: async (request, context) => signedInAs(await signInWithPasskey(core, request, named(context))),
    async getSignInSettings(_request, context) {
      const { isNeeded, isFresh, passkeys, ...settings } = await signInSettings(core, await who(context))
      return {
        ...settings,
        needed: isNeeded,
        fresh: isFresh,
        passkeys: passkeys.map(({ passkeyId, name, created, used }) => ({
          passkeyId,
          name,
          created: BigInt(created),
          lastUsed: BigInt(used),
        })),
      }
    },
    beginTotp: async (_request, context) => beginTotp(core, await who(context)),
    confirmTotp: async ({ code }, context) => ({
      recoveryCodes: await confirmTotp(core, await who(context), code),
    }),
    async removeTotp(_request, context) {
      await removeTotp(core, await who(context))
      return {}
    },
    renewRecoveryCodes: async (_request, context) => ({
      recoveryCodes: await renewRecoveryCodes(core, await who(context)),
    }),
    beginPasskey: async ({ origin }, context) => ({ options: await beginPasskey(core, await who(context), origin) }),
    addPasskey: async (request, context) => ({
      recoveryCodes: await addPasskey(core, await who(context), request),
    }),
    async removePasskey({ passkeyId }, context) {
      await removePasskey(core, await who(context), passkeyId)
      return {}
    },
    beginConfirmation: async ({ origin }, context) => ({
      options: await beginConfirmation(core, await who(context), origin),
    }),
    async confirm(request, context) {
      await confirm(core, await who(context), request)
      return {}
    },
    async listSessions(_request, context) {
      const sessions = await studioSessions.listOf(await who(context))
      return {
        sessions: sessions.map(({ isOwn, begun, used, ...session }) => ({
          ...session,
          own: isOwn,
          created: BigInt(begun),
          lastUsed: BigInt(used),
        })),
      }
    },
    async endSession({ sessionId }, context) {
      if (await studioSessions.endListed(await who(context), sessionId)) return {}
      throw new Refusal('not-found', 'This session has ended already.')
    },
    endOtherSessions: async (_request, context) => ({ sessions: await studioSessions.endOthers(await who(context)) }),
    resetSecondFactor: async ({ email }) => ({ sessions: await resetSecondFactor(core, email) }),
  }
}

/** For the audit log: who calls, although there is no session yet. */
const named =
  (context: HandlerContext) =>
  ({ accountId, email }: Account): void =>
    void (callOf(context).person = { accountId, email, studioId: null })

const signedInAs = ({ session, expires, known }: SignedIn) => ({ session, expires: BigInt(expires), known })
